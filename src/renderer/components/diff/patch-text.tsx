import { classNames } from '../primitives/index.ts'

/** About two screens; the renderer draws the rest together with everything else. */
const linesMax = 120

/** The lines of a patch as they are until the diff renderer has drawn them, in its colors and at its line height. */
export function PatchText({ patch }: { patch: string }) {
  const lines = patch.split('\n', linesMax).filter((line) => !fileHeader.test(line))
  return (
    <pre className="py-2 font-mono text-[12.5px] leading-[18px] whitespace-pre-wrap" dir="ltr">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one patch keep their order
        <div key={index} className={classNames('min-h-[18px] px-3 wrap-anywhere', tintOf(line))}>
          {line}
        </div>
      ))}
    </pre>
  )
}

const fileHeader = /^(?:diff --git |index |--- |\+\+\+ |(?:new|deleted) file mode )/

function tintOf(line: string): string | false {
  if (line.startsWith('+')) return 'bg-green-tint'
  if (line.startsWith('-')) return 'bg-red-tint'
  return line.startsWith('@@') && 'text-muted'
}
