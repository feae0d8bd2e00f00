import type { ReactNode } from 'react'
import type { LeaseInfo } from '../../../shared/contract/app.ts'
import {
  CopyButton,
  Field,
  RelativeTime,
  Select,
  StatusIcon,
} from '../../components/primitives/index.ts'
import { useAppInfo, usePreference, useStores } from '../../store/hooks.ts'
import type { Preferences } from '../../store/preferences.ts'
import { ProblemNotice } from '../app/ProblemNotice.tsx'
import { NotificationSetting } from './NotificationSetting.tsx'
import { RetentionSection } from './RetentionSection.tsx'

const themes: { value: Preferences['theme']; label: string }[] = [
  { value: 'system', label: 'Match system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

const hosts = { desktop: 'Desktop app', web: 'Web host', cli: 'Command line' } as const

export function SettingsScreen() {
  const { info, problem } = useAppInfo()
  const { preferences, appInfo } = useStores()
  const theme = usePreference('theme')
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
        <Section title="Notifications">
          <NotificationSetting />
        </Section>
        <Section title="Retention">
          <RetentionSection />
        </Section>
        {problem && !info ? (
          <ProblemNotice
            problem={problem}
            action={{ label: 'Try again', onClick: () => void appInfo.load() }}
          />
        ) : null}
        {info ? (
          <>
            <Section title="Agents">
              <ul>
                {info.agents.map((agent) => (
                  <li key={agent.kind} className="flex min-h-7 items-center gap-2">
                    <StatusIcon decorative status={agent.available ? 'completed' : 'blocked'} />
                    {agent.name}
                    <span className="text-muted">
                      {agent.available ? 'ready' : `unavailable: ${agent.why ?? 'unknown'}`}
                    </span>
                  </li>
                ))}
              </ul>
            </Section>
            <Section title="Data directory">
              <div className="flex items-center gap-1">
                <code className="untrusted font-mono text-code">{info.dataDir}</code>
                <CopyButton text={info.dataDir} label="Copy path" />
              </div>
              <p className="text-muted">
                Reports, transcripts, patches and worktrees. Another one is used with{' '}
                <code className="font-mono text-code">--data-dir</code> or the environment variable{' '}
                <code className="font-mono text-code">SHIPLOG_DATA_DIR</code>.
              </p>
              <WhoWrites lease={info.lease} />
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
                Runs coding agents and their sub-agents in workspaces of their own, and keeps the
                ship’s log.
              </p>
            </Section>
          </>
        ) : null}
      </div>
    </div>
  )
}

/** One process writes a data directory; the page's host is it. */
function WhoWrites({ lease }: { lease: LeaseInfo }) {
  return (
    <p>
      Written by this process, pid {lease.pid}
      <span className="text-muted">
        {' '}
        on <span className="untrusted">{lease.hostName}</span>, since{' '}
        <RelativeTime at={lease.since} />.{' '}
        {lease.endpoint
          ? 'Commands in a terminal are carried out by it.'
          : 'Commands in a terminal have to wait until it has ended.'}
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
