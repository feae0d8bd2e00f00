import { CopyButton } from '../primitives/index.ts'
import { HighlightedCode } from './highlighted-code.tsx'

/** A block of code in Markdown. */
export function CodeBlock({ code, language }: { code: string; language: string | null }) {
  return (
    <div className="group/code relative my-2 rounded-md border bg-sunken">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        className="focus-inset max-h-[480px] overflow-auto rounded-md px-3 py-2 pr-9 font-mono text-code"
        dir="ltr"
      >
        <code>
          <HighlightedCode code={code} language={language} />
        </code>
      </pre>
      <div className="absolute top-1 right-1 rounded-md bg-sunken opacity-0 group-hover/code:opacity-100 focus-within:opacity-100">
        <CopyButton label="Copy code" text={code} />
      </div>
    </div>
  )
}
