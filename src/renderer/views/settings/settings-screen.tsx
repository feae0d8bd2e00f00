import type { ReactNode } from 'react'
import type { LeaseInfo } from '../../../shared/contract/app.ts'
import { defaultEnvironment, type Project } from '../../../shared/records/projects/projects.ts'
import {
  Button,
  CopyButton,
  Field,
  keysText,
  RelativeTime,
  Select,
} from '../../components/primitives/index.ts'
import { useAppInfo, usePreference, useProjects, useStores } from '../../store/hooks.ts'
import type { Preferences } from '../../store/window/preferences.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { WatchSwitch } from '../imports/watch-switch.tsx'
import { InstalledSection } from '../installed/installed-section.tsx'
import { ModelsSection } from '../models/models-section.tsx'
import { environmentText } from '../projects/environment-form.ts'
import { LimitsSection } from './limits-section.tsx'
import { NotificationSetting } from './notification-setting.tsx'
import { PermissionSection } from './permission-section.tsx'
import { RetentionSection } from './retention-section.tsx'

const themes: { value: Preferences['theme']; label: string }[] = [
  { value: 'system', label: 'Match system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

const sendKeys: Preferences['sendKey'][] = ['Mod+Enter', 'Enter']

const hosts = { desktop: 'Desktop app', web: 'Web host', cli: 'Command line' } as const

export function SettingsScreen() {
  const { info, problem } = useAppInfo()
  const { preferences, appInfo, overlay } = useStores()
  const theme = usePreference('theme')
  const sendKey = usePreference('sendKey')
  const projects = useProjects()
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <div className="mx-auto flex max-w-reading flex-col gap-8 px-6 py-6">
        <h1 className="text-title font-semibold">Settings</h1>
        <Section title="Appearance">
          <Field label="Theme" className="max-w-60">
            <Select
              value={theme}
              onChange={(chosen) => preferences.setState({ theme: chosen })}
              options={themes}
            />
          </Field>
        </Section>
        <Section title="Prompts">
          <Field
            label="Send with"
            hint={
              sendKey === 'Enter' ? 'Shift+Enter begins a new line.' : 'Enter begins a new line.'
            }
            className="max-w-60"
          >
            <Select
              value={sendKey}
              onChange={(chosen) => preferences.setState({ sendKey: chosen })}
              options={sendKeys.map((value) => ({
                value,
                label: value === 'Enter' ? value : keysText(value),
              }))}
            />
          </Field>
        </Section>
        <Section title="Keyboard">
          <CharacterKeysSetting />
        </Section>
        <Section title="Models">
          <ModelsSection />
        </Section>
        <Section title="Installed agents">
          <InstalledSection />
        </Section>
        <Section title="Notifications">
          <NotificationSetting />
        </Section>
        <Section title="Limits">
          <LimitsSection />
        </Section>
        <Section title="Permissions">
          <PermissionSection />
        </Section>
        <Section title="Import">
          <WatchSwitch />
          <Button className="self-start" onClick={() => overlay.show({ kind: 'import' })}>
            Import sessions…
          </Button>
        </Section>
        <Section title="Retention">
          <RetentionSection />
        </Section>
        {projects.length > 0 ? (
          <Section title="Projects">
            <ProjectList projects={projects} />
          </Section>
        ) : null}
        {problem && !info ? (
          <ProblemNotice
            problem={problem}
            action={{ label: 'Try again', onClick: () => void appInfo.load() }}
          />
        ) : null}
        {info ? (
          <>
            <Section title="Data directory">
              <div className="flex items-center gap-1">
                <code className="untrusted font-mono text-code">{info.dataDir}</code>
                <CopyButton text={info.dataDir} label="Copy path" />
              </div>
              <p className="text-muted">
                Reports, transcripts, patches and worktrees. To use another one, set{' '}
                <code className="font-mono text-code">--data-dir</code> or the environment variable{' '}
                <code className="font-mono text-code">SHIPLOG_DATA_DIR</code>.
              </p>
              <LeaseHolder lease={info.lease} />
            </Section>
            <Section title="About">
              <p>
                Shiplog {info.version}
                <span className="text-muted">
                  {' '}
                  · {hosts[info.host]} · {info.platform}
                </span>
              </p>
              <p className="text-muted">
                Runs coding agents and their sub-agents in their own workspaces, and records
                everything they do.
              </p>
            </Section>
          </>
        ) : null}
      </div>
    </div>
  )
}

function CharacterKeysSetting() {
  const { preferences } = useStores()
  const characterKeys = usePreference('characterKeys')
  return (
    <>
      <label className="flex min-h-7 w-fit items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-[var(--accent-fill)]"
          checked={characterKeys}
          onChange={(event) => preferences.setState({ characterKeys: event.target.checked })}
        />
        Shortcuts of single characters, such as N for a new agent
      </label>
      <p className="text-muted">
        Without them, every command is in the palette ({keysText('Mod+k')}), and a focused list
        keeps its own keys.
      </p>
    </>
  )
}

/** Each project with the environment variables that its agents get, and a button to change its settings. */
function ProjectList({ projects }: { projects: Project[] }) {
  const { overlay } = useStores()
  return (
    <ul aria-label="Projects" className="flex flex-col">
      {projects.map(({ id, name, dir, environment = defaultEnvironment }) => (
        <li key={id} className="flex min-h-11 items-center gap-3 border-b py-1 last:border-b-0">
          <div className="min-w-0 flex-1">
            <p className="untrusted truncate">{name}</p>
            <p title={dir} className="untrusted truncate text-small text-muted">
              {dir}
            </p>
            <p className="untrusted text-small text-muted">
              Agents get:{' '}
              {environmentText(environment).replace(/^./, (first) => first.toLowerCase())}
            </p>
          </div>
          <Button
            size="small"
            aria-label={`Change the settings of ${name}`}
            onClick={() => overlay.show({ kind: 'project-settings', projectId: id })}
          >
            Change…
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** The process that holds the data directory's lease, which is this page's host. */
function LeaseHolder({ lease }: { lease: LeaseInfo }) {
  return (
    <p>
      In use by this app (pid {lease.pid})
      <span className="text-muted">
        {' '}
        on <span className="untrusted">{lease.hostName}</span>, started{' '}
        <RelativeTime at={lease.since} />.{' '}
        {lease.endpoint
          ? 'CLI commands go through it.'
          : 'CLI commands have to wait until it quits.'}
      </span>
    </p>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2">
      <h2 className="border-b pb-1 font-semibold">{title}</h2>
      {children}
    </section>
  )
}
