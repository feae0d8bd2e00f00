import { Check, Copy } from 'lucide-react'
import { type ReactElement, useEffect, useState } from 'react'
import { TextButton } from './button.tsx'
import { IconButton } from './icon-button.tsx'

/** Long enough to be seen, short enough to be ready for the next copy. */
const copiedShownMs = 1500

/** Copies `text`, and confirms that for a moment. `label` describes the text: "Copy details". */
export function CopyButton(props: {
  /** A function: what takes a while to make is made when it is copied. */
  text: string | (() => string)
  label: string
  look?: 'text' | 'icon'
  icon?: ReactElement
}) {
  const { text, label, look = 'icon', icon = <Copy /> } = props
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), copiedShownMs)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () => {
    navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  const shown = copied ? 'Copied' : label
  return look === 'text' ? (
    <TextButton onClick={copy}>{shown}</TextButton>
  ) : (
    <IconButton size="small" label={shown} icon={copied ? <Check /> : icon} onClick={copy} />
  )
}
