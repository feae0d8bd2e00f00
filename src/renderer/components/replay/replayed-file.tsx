import { ChevronLeft } from 'lucide-react'
import type { MissingFiles, TurnFile } from '../../../shared/contract/transcripts/turn-files.ts'
import { visibleText } from '../../../shared/text/shown-text.ts'
import { bytes } from '../primitives/format.ts'
import { CopyButton, EmptyState, IconButton, NoticeLine, Skeleton } from '../primitives/index.ts'
import { CodeBlock } from '../text/code-block.tsx'

/** One file as of the moment. `file` is null while it is being read. */
export function ReplayedFile(props: {
  path: string
  file: TurnFile | MissingFiles | null
  onBack(): void
}) {
  const { path, file, onBack } = props
  const text = file?.kind === 'file' && file.content.kind === 'text' ? file.content.text : null
  return (
    <section aria-label={path} className="flex min-w-0 flex-col">
      <div className="sticky top-0 z-10 flex h-9 items-center gap-1 bg-canvas px-2">
        <IconButton
          size="small"
          label="Back to the files"
          icon={<ChevronLeft />}
          onClick={onBack}
        />
        <span className="min-w-0 flex-1 truncate font-mono text-code" title={visibleText(path)}>
          {visibleText(path)}
        </span>
        {file?.kind === 'file' && file.bytes !== null ? (
          <span className="tabular shrink-0 text-small text-muted">{bytes(file.bytes)}</span>
        ) : null}
        {text === null ? null : <CopyButton label="Copy the file" text={text} />}
      </div>
      {file === null ? (
        <Skeleton lines={8} className="p-4" />
      ) : file.kind === 'missing' ? (
        <EmptyState sentence={file.message} />
      ) : (
        <Content path={path} file={file} />
      )}
    </section>
  )
}

function Content({ path, file }: { path: string; file: TurnFile }) {
  const { content, truncated } = file
  switch (content.kind) {
    case 'text':
      return content.text === '' ? (
        <EmptyState sentence="The file was empty." />
      ) : (
        <div className="min-w-0 px-2">
          {truncated ? (
            <NoticeLine
              tone="info"
              text={`Only the first ${bytes(content.text.length)} are shown. The command line prints all of it: shiplog files.`}
            />
          ) : null}
          <CodeBlock code={visibleText(content.text)} language={extensionOf(path)} />
        </div>
      )
    case 'image':
      return (
        <img
          src={`data:${content.mediaType};base64,${content.base64}`}
          alt={`${path} at that moment`}
          className="m-2 max-h-96 max-w-[calc(100%-16px)] self-start rounded-md border bg-sunken object-contain"
        />
      )
    case 'link':
      return <EmptyState sentence={`A symbolic link to ${content.target}`} />
    case 'submodule':
      return <EmptyState sentence={`A submodule at commit ${content.commit.slice(0, 12)}.`} />
    case 'binary':
    case 'bytes':
      return (
        <EmptyState sentence="A binary file, not shown. shiplog files prints its bytes on the command line." />
      )
    case 'lost':
      return (
        <EmptyState sentence="The agent did not change this file, and the repository no longer has this version of it." />
      )
  }
}

function extensionOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot < 0 ? null : name.slice(dot + 1)
}
