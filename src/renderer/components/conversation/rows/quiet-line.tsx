/** Rows of one line: events between the turns. */
import {
  Info,
  KeyRound,
  MessageSquareText,
  PackageCheck,
  PackageX,
  Plug,
  ShieldCheck,
  ShieldQuestionMark,
  TriangleAlert,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { NoteSubject } from '../../../../shared/projections/transcript/transcript-items.ts'
import { plainText } from '../../../../shared/text/plain-text.ts'
import { Disclosure } from '../disclosure.tsx'
import { LongText } from './long-text.tsx'

export function QuietLine({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-7 items-center gap-2 py-1 text-ui text-muted [&>svg]:size-3.5 [&>svg]:shrink-0">
      {icon}
      <span className="min-w-0">{children}</span>
    </div>
  )
}

export function Divider({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div className="flex items-center gap-2 pt-4 pb-2 text-small text-muted [&>svg]:size-3.5 [&>svg]:shrink-0">
      {icon}
      <span className="min-w-0">{children}</span>
      <span aria-hidden className="h-px flex-1 bg-line" />
    </div>
  )
}

const subjects: Record<NoteSubject, { icon: ReactNode; isWarning?: true }> = {
  message: { icon: <MessageSquareText /> },
  withheld: { icon: <KeyRound /> },
  sandbox: { icon: <ShieldCheck /> },
  'set-up': { icon: <PackageCheck /> },
  'set-up-skipped': { icon: <PackageX />, isWarning: true },
  permission: { icon: <ShieldQuestionMark /> },
  'agent-session': { icon: <Plug /> },
  'agent-notice': { icon: <Info /> },
  'agent-warning': { icon: <TriangleAlert />, isWarning: true },
  'snapshot-failed': { icon: <TriangleAlert />, isWarning: true },
}

/** A longer note is folded to its first line. */
const noteCharsMax = 400

export function Note(props: { about: NoteSubject; text: string; foldKey: string }) {
  const { about, foldKey } = props
  const { icon, isWarning = false } = subjects[about]
  const text = plainText(props.text).trim()
  const mark = (
    <span
      className={`contents [&>svg]:size-3.5 [&>svg]:shrink-0 ${isWarning ? 'text-amber' : 'text-muted'}`}
    >
      {icon}
    </span>
  )
  if (text.length <= noteCharsMax && !text.includes('\n'))
    return (
      <QuietLine icon={mark}>
        <span className="untrusted">{text}</span>
      </QuietLine>
    )
  return (
    <Disclosure
      foldKey={foldKey}
      line={
        <>
          {mark}
          <span className="untrusted min-w-0 truncate text-muted">{text.split('\n', 1)[0]}</span>
        </>
      }
      body={() => (
        <LongText label="Note" text={text} foldKey={`${foldKey}:text`} className="ml-5.5" />
      )}
    />
  )
}
