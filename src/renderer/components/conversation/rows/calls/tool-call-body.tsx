/** What a tool call opens to: its input and output, or the diff that it made. */
import { traitsOf } from '../../../../../shared/agents/tool-traits.ts'
import { appliedFileLine, isToolName } from '../../../../../shared/agents/tools.ts'
import { wasNotRun } from '../../../../../shared/projections/tool-calls/tool-labels.ts'
import type { ToolCallView } from '../../../../../shared/projections/transcript/turn-blocks.ts'
import { lostOutputIn } from '../../../../../shared/records/lost-output.ts'
import { answerText } from '../../../../../shared/text/permission-text.ts'
import { bytes } from '../../../primitives/format.ts'
import { languageOfPath } from '../../../text/highlight-languages.ts'
import { JsonValue } from '../json-value.tsx'
import { LongText } from '../long-text.tsx'
import { ShownImages } from '../shown-images.tsx'
import { CallDiff } from './call-diff.tsx'
import { WholeOutput } from './whole-output.tsx'

/** The longest command that the line shows uncut, even in a narrow window. */
const shortCommandChars = 40

export function ToolCallBody({ call }: { call: ToolCallView }) {
  const { detail, state } = call
  if (state === 'not-loaded')
    return (
      <p className="ml-5.5 text-small text-muted">
        The input and output are in a part of the transcript that is not loaded. Scroll up to load
        it.
      </p>
    )
  return (
    <div className="ml-5.5 space-y-2">
      {call.permission?.rule || call.permission?.message ? (
        <p className="untrusted text-small text-muted">
          {answerText(call.permission, { whole: true })}
        </p>
      ) : null}
      <div data-entry={call.seq} className="empty:hidden">
        <ToolInput call={call} />
      </div>
      {detail?.kind === 'edit' && detail.patch ? (
        // The diff replaces the input, so matches in the input are found here.
        <div data-entry={call.seq}>
          <CallDiff patch={detail.patch} path={detail.path} foldKey={`${call.callId}:diff`} />
        </div>
      ) : null}
      {/* The message about a conflict lists them. */}
      {detail?.kind === 'apply' && detail.outcome.kind === 'applied' ? (
        <ul className="font-mono text-code">
          {detail.outcome.files.map((file) => (
            <li key={file.path} className="untrusted">
              {appliedFileLine(file)}
            </li>
          ))}
        </ul>
      ) : null}
      {detail?.kind === 'edit' && detail.patch ? null : (
        <div data-entry={call.resultSeq} className="space-y-2">
          <ToolOutput call={call} />
        </div>
      )}
    </div>
  )
}

function ToolInput({ call }: { call: ToolCallView }) {
  // The diff shows it.
  if (call.detail?.kind === 'edit' && call.detail.patch) return null
  const input = call.input as Record<string, unknown> | null
  const foldKey = `${call.callId}:input`
  if (call.name === 'bash' && typeof input?.command === 'string')
    // The line above shows a short command in full.
    return input.command.length > shortCommandChars || input.command.includes('\n') ? (
      <LongText captioned label="Command" text={input.command} language="bash" foldKey={foldKey} />
    ) : null
  if (call.name === 'write_file' && typeof input?.content === 'string')
    return (
      <LongText
        captioned
        label="Content"
        text={input.content}
        language={typeof input.path === 'string' ? languageOfPath(input.path) : null}
        foldKey={foldKey}
      />
    )
  // A call without input shows nothing.
  if (input === null || (typeof input === 'object' && Object.keys(input).length === 0)) return null
  return <JsonValue captioned label="Input" value={call.input} foldKey={foldKey} />
}

/** Parsing and drawing more would cause a visible delay. */
const jsonCharsMax = 200_000

/** Returns the JSON result of another program's tool; null if it is no object or array. */
function jsonIn({ name, output }: ToolCallView): object | null {
  if (isToolName(name) || output === null || output.length > jsonCharsMax) return null
  if (!/^\s*[[{]/.test(output)) return null
  try {
    return JSON.parse(output)
  } catch {
    return null
  }
}

/** Shiplog's other tools return text without colours; the output of other programs' tools may have some. */
const printsToTerminal = ({ name }: ToolCallView): boolean =>
  !isToolName(name) || traitsOf(name)?.icon === 'command'

function ToolOutput({ call }: { call: ToolCallView }) {
  const { detail, output, state } = call
  if (state === 'running')
    return output === null ? (
      <p className="text-small text-muted">No output yet.</p>
    ) : (
      <LongText captioned terminal label="Output so far" text={output} followEnd />
    )
  if (state === 'unknown') {
    const printed = lostOutputIn(output ?? '')
    return (
      <>
        <p className="text-small text-amber">
          The agent was interrupted while this ran; the result is unknown. It won’t be run again.
        </p>
        {printed === null ? null : (
          <LongText
            captioned
            terminal
            label="Output until then"
            text={printed}
            foldKey={`${call.callId}:output`}
          />
        )}
      </>
    )
  }
  const answer = state === 'ok' ? jsonIn(call) : null
  const given = answer ? (
    <JsonValue captioned label="Output" value={answer} foldKey={`${call.callId}:output`} />
  ) : (
    <LongText
      captioned
      label={wasNotRun(call) ? 'What the agent was told' : state === 'error' ? 'Error' : 'Output'}
      tone={state === 'error' && !wasNotRun(call) ? 'error' : undefined}
      text={output ?? ''}
      terminal={printsToTerminal(call)}
      language={detail?.kind === 'read' ? languageOfPath(detail.path) : null}
      foldKey={`${call.callId}:output`}
    />
  )
  return (
    <>
      <ShownImages images={call.images} foldKey={`${call.callId}:images`} />
      {detail?.kind === 'bash' && detail.whole ? (
        <WholeOutput
          whole={detail.whole}
          bounded={given}
          seq={call.resultSeq}
          foldKey={`${call.callId}:whole`}
        />
      ) : (
        given
      )}
      {detail?.kind === 'bash' && detail.omittedBytes > 0 && !detail.whole ? (
        <p className="text-small text-muted">
          Output truncated: {bytes(detail.omittedBytes)} omitted from the middle.
        </p>
      ) : null}
    </>
  )
}
