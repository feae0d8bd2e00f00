import { type ComponentType, useEffect } from 'react'
import type { LeaseInfo } from '../../../shared/contract/app.ts'
import { defaultEnvironment } from '../../../shared/records/projects/projects.ts'
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
import { UnsavedContext, useLeaveGuard } from './unsaved.ts'

const themes: { value: Preferences['theme']; label: string }[] = [
  { value: 'system', label: 'Match system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

const sendKeys: Preferences['sendKey'][] = ['Mod+Enter', 'Enter']

const hosts = { desktop: 'Desktop app', web: 'Web host', cli: 'Command line' } as const

/** `section`: the one to show first, by its id; null for the top. */
export function SettingsScreen({ section }: { section: string | null }) {
  const { info, problem } = useAppInfo()
  const { appInfo } = useStores()
  const hasProjects = useProjects().length > 0
  const unsaved = useLeaveGuard()
  const shown = sections.filter(({ needs }) =>
    needs === 'projects' ? hasProjects : needs === 'info' ? info !== null : true,
  )
  useShownSection(section)
  return (
    <UnsavedContext value={unsaved}>
      <div className="flex min-h-0 flex-1">
        <SectionList sections={shown} current={section} />
        <div className="relative min-h-0 min-w-0 flex-1 overflow-auto">
          <div className="mx-auto flex max-w-reading flex-col gap-8 px-6 py-6">
            <h1 className="text-title font-semibold">Settings</h1>
            {shown.map(({ title, Content }) => (
              <section key={title} className="flex flex-col gap-2">
                <h2
                  id={`settings-${idOf(title)}`}
                  tabIndex={-1}
                  className="scroll-mt-4 border-b pb-1 font-semibold outline-none"
                >
                  {title}
                </h2>
                <Content />
              </section>
            ))}
            {problem && !info ? (
              <ProblemNotice
                problem={problem}
                action={{ label: 'Try again', onClick: () => void appInfo.load() }}
              />
            ) : null}
          </div>
        </div>
      </div>
    </UnsavedContext>
  )
}

interface SettingsSection {
  title: string
  /** Shown only if there are projects, or once the app has answered. */
  needs?: 'projects' | 'info'
  Content: ComponentType
}

const sections: readonly SettingsSection[] = [
  { title: 'Appearance', Content: AppearanceSettings },
  { title: 'Prompts', Content: PromptSettings },
  { title: 'Keyboard', Content: CharacterKeysSetting },
  { title: 'Models', Content: ModelsSection },
  { title: 'Installed agents', Content: InstalledSection },
  { title: 'Notifications', Content: NotificationSetting },
  { title: 'Limits', Content: LimitsSection },
  { title: 'Permissions', Content: PermissionSection },
  { title: 'Import', Content: ImportSettings },
  { title: 'Retention', Content: RetentionSection },
  { title: 'Projects', needs: 'projects', Content: ProjectList },
  { title: 'Data directory', needs: 'info', Content: DataDirectory },
  { title: 'About', needs: 'info', Content: About },
]

/** As in the address, such as `#/settings/installed-agents`. */
const idOf = (title: string): string => title.toLowerCase().replace(' ', '-')

/** Links to the sections, beside them where there is room. */
function SectionList(props: { sections: readonly SettingsSection[]; current: string | null }) {
  return (
    <nav
      aria-label="Sections of the settings"
      className="w-40 shrink-0 overflow-auto border-r px-2 py-6 max-[760px]:hidden"
    >
      <ul className="flex flex-col">
        {props.sections.map(({ title }) => (
          <li key={title}>
            <a
              href={`#/settings/${idOf(title)}`}
              aria-current={idOf(title) === props.current || undefined}
              className="block rounded-md px-2 py-1 text-muted hover:bg-hover hover:text-ink aria-[current=true]:bg-accent-tint aria-[current=true]:text-ink"
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Scrolls to the section of the address, and moves the focus to it. */
function useShownSection(section: string | null): void {
  useEffect(() => {
    if (section === null) return
    const heading = document.getElementById(`settings-${section}`)
    heading?.scrollIntoView()
    heading?.focus({ preventScroll: true })
  }, [section])
}

function AppearanceSettings() {
  const { preferences } = useStores()
  const theme = usePreference('theme')
  return (
    <Field label="Theme" className="max-w-60">
      <Select
        value={theme}
        onChange={(chosen) => preferences.setState({ theme: chosen })}
        options={themes}
      />
    </Field>
  )
}

function PromptSettings() {
  const { preferences } = useStores()
  const sendKey = usePreference('sendKey')
  return (
    <Field
      label="Send with"
      hint={sendKey === 'Enter' ? 'Shift+Enter begins a new line.' : 'Enter begins a new line.'}
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
  )
}

function ImportSettings() {
  const { overlay } = useStores()
  return (
    <>
      <WatchSwitch />
      <Button className="self-start" onClick={() => overlay.show({ kind: 'import' })}>
        Import sessions…
      </Button>
    </>
  )
}

function DataDirectory() {
  const { info } = useAppInfo()
  if (!info) return null
  return (
    <>
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
    </>
  )
}

function About() {
  const { info } = useAppInfo()
  if (!info) return null
  return (
    <>
      <p>
        Shiplog {info.version}
        <span className="text-muted">
          {' '}
          · {hosts[info.host]} · {info.platform}
        </span>
      </p>
      <p className="text-muted">
        Runs coding agents and their sub-agents in their own workspaces, and records everything they
        do.
      </p>
    </>
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
        Every command is in the palette ({keysText('Mod+K')}) as well. A focused list always has its
        own keys.
      </p>
    </>
  )
}

/** Each project with the environment variables that its agents get, and a button to change its settings. */
function ProjectList() {
  const { overlay } = useStores()
  const projects = useProjects()
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
