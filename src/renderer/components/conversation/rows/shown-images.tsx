/** Images of a prompt or a result: small in a row, in full size when opened. */
import { ImageOff } from 'lucide-react'
import { useContext, useEffect, useState } from 'react'
import type { ImageRef } from '../../../../shared/agents/agent-records.ts'
import { bytes } from '../../primitives/format.ts'
import { classNames } from '../../primitives/index.ts'
import { useFold } from '../fold-state.ts'
import { TaskActionsContext } from '../task-lookup.ts'

export function ShownImages({ images, foldKey }: { images: readonly ImageRef[]; foldKey: string }) {
  if (images.length === 0) return null
  return (
    <ul className="flex flex-wrap gap-2 py-1">
      {images.map((image, index) => {
        const key = `${foldKey}:${index}`
        const name = images.length > 1 ? `Image ${index + 1} of ${images.length}` : 'Image'
        return (
          <li key={key} className="max-w-full">
            <ShownImage image={image} name={name} foldKey={key} />
          </li>
        )
      })}
    </ul>
  )
}

type Loaded = { url: string } | { problem: string } | null

function ShownImage({ image, name, foldKey }: { image: ImageRef; name: string; foldKey: string }) {
  const { readImage } = useContext(TaskActionsContext)
  const { sha256, mediaType } = image
  const [loaded, setLoaded] = useState<Loaded>(null)
  const [open, toggle] = useFold(foldKey)
  useEffect(() => {
    let isShown = true
    readImage?.(sha256).then(
      ({ mediaType, data }) => isShown && setLoaded({ url: `data:${mediaType};base64,${data}` }),
      (error) => isShown && setLoaded({ problem: String((error as Error)?.message ?? error) }),
    )
    return () => {
      isShown = false
    }
  }, [readImage, sha256])
  const about = `${name}, ${mediaType.replace('image/', '').toUpperCase()}, ${bytes(image.bytes)}`
  if (!readImage || (loaded && 'problem' in loaded))
    return (
      <span
        title={loaded && 'problem' in loaded ? loaded.problem : undefined}
        className="flex h-24 w-40 flex-col items-center justify-center gap-1 rounded-md border px-2 text-center text-small text-muted"
      >
        <ImageOff aria-hidden className="size-4 text-faint" />
        {about}
        <span>Not available</span>
      </span>
    )
  return (
    <button
      type="button"
      aria-expanded={open}
      aria-label={about}
      title={open ? 'Shrink' : 'Show at full size'}
      onClick={toggle}
      className={classNames(
        'block max-w-full overflow-hidden rounded-md border bg-canvas',
        open ? 'cursor-zoom-out' : 'h-24 min-w-24 cursor-zoom-in',
      )}
    >
      {loaded ? (
        <img
          src={loaded.url}
          alt=""
          className={open ? 'max-w-full' : 'mx-auto h-full max-w-60 object-contain'}
        />
      ) : null}
    </button>
  )
}
