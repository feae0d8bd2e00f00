/** What the services refuse of images: their kinds, bytes, sides and number. */
import { imageSize } from 'image-size'
import type { Wire } from './models.ts'
import { refuse } from './refusal.ts'

interface SentImage {
  mediaType: string
  base64: string
}

/** Throws Refusal. `body`: the request, in which images stand wherever the wire takes them. */
export function checkImages(wire: Wire, body: unknown): void {
  const images = [...imagesIn(wire, body)]
  for (const image of images) checkKind(wire, image)
  if (wire === 'anthropic') checkAnthropicSizes(images)
  if (wire === 'google' && base64Of(images) > googleInlineMax)
    refuse('Request payload size exceeds the limit: 20971520 bytes.')
}

const googleInlineMax = 20 * 1024 * 1024
const base64Of = (images: readonly SentImage[]) =>
  images.reduce((sum, { base64 }) => sum + base64.length, 0)

const openaiTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const googleTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']

function checkKind(wire: Wire, { mediaType, base64 }: SentImage): void {
  const types = wire === 'google' ? googleTypes : openaiTypes
  if (!types.includes(mediaType)) {
    if (wire === 'google') refuse(`Unsupported MIME type: ${mediaType}`)
    if (wire === 'anthropic')
      refuse(
        "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
      )
    refuse(
      "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
      { code: 'invalid_image_format' },
    )
  }
  const isBase64 = Buffer.from(base64, 'base64').toString('base64') === base64
  const size = isBase64 ? sizeOf(base64) : null
  if (size === null)
    refuse(
      wire === 'google'
        ? 'Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting'
        : wire === 'anthropic'
          ? 'Could not process image'
          : 'The image data you provided does not represent a valid image. Please check your input and try again.',
    )
  const found = `image/${size.type === 'jpg' ? 'jpeg' : size.type}`
  if (wire === 'anthropic' && found !== mediaType)
    refuse(
      `The image was specified using the ${mediaType} media type, but the image appears to be a ${found} image`,
    )
}

function checkAnthropicSizes(images: readonly SentImage[]): void {
  if (images.length > 100) refuse('Too many images: 100 are allowed in one request')
  const sideMax = images.length > 20 ? 2000 : 8000
  for (const { base64 } of images) {
    if (base64.length > 5_242_880)
      refuse(`image exceeds 5 MB maximum: ${base64.length} bytes > 5242880 bytes`)
    const { width = 0, height = 0 } = sizeOf(base64) ?? {}
    if (Math.max(width, height) > sideMax)
      refuse(
        `At least one of the image dimensions exceed max allowed size${images.length > 20 ? ' for many-image requests' : ''}: ${sideMax} pixels`,
      )
  }
}

function sizeOf(base64: string) {
  try {
    return imageSize(Buffer.from(base64, 'base64'))
  } catch {
    return null
  }
}

type Fields = Record<string, unknown>

function* imagesIn(wire: Wire, value: unknown): Generator<SentImage> {
  if (typeof value !== 'object' || value === null) return
  const image = Array.isArray(value) ? null : imageOf(wire, value as Fields)
  if (image) yield image
  else for (const inner of Object.values(value)) yield* imagesIn(wire, inner)
}

/** Null: it is none that is sent with the request. */
function imageOf(wire: Wire, value: Fields): SentImage | null {
  if (wire === 'google') {
    const { mimeType, data } = (value.inlineData ?? {}) as Fields
    return typeof mimeType === 'string' ? { mediaType: mimeType, base64: String(data) } : null
  }
  if (wire === 'anthropic') {
    const source = (value.type === 'image' ? value.source : null) as Fields | null
    if (source?.type !== 'base64') return null
    return { mediaType: String(source.media_type), base64: String(source.data) }
  }
  const given = value.type === 'input_image' || value.type === 'image_url' ? value.image_url : null
  const url = typeof given === 'string' ? given : (given as Fields | null)?.url
  const found = typeof url === 'string' ? /^data:([^;,]*);base64,(.*)$/s.exec(url) : null
  return found ? { mediaType: found[1] ?? '', base64: found[2] ?? '' } : null
}
