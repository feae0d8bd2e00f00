/** Detects the type of an image from its content, and whether models accept it. Pure. */
import { imageSize } from 'image-size'
import { imageBytesMax, imageSideMax } from './images.ts'

/** The types that every provider accepts. */
const mediaTypes = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
} as const

interface ImageKind {
  mediaType: string
  /** In pixels. */
  width: number
  height: number
}

/** Returns the type and size of an image from its first bytes; null for a type that models don't accept. */
export function imageKindOf(bytes: Uint8Array): ImageKind | null {
  try {
    const { type, width, height } = imageSize(bytes)
    const mediaType = Object.hasOwn(mediaTypes, type ?? '')
      ? mediaTypes[type as keyof typeof mediaTypes]
      : null
    return mediaType ? { mediaType, width, height } : null
  } catch {
    return null
  }
}

/** Returns why models don't accept an image, as the end of a sentence about it; null if they do. */
export function imageProblem({ width, height }: ImageKind, bytes: number): string | null {
  if (bytes > imageBytesMax)
    return `has ${megabytes(bytes)}, and models take at most ${megabytes(imageBytesMax)}: make it smaller, or save it as JPEG`
  if (Math.max(width, height) > imageSideMax)
    return `has ${width} × ${height} pixels, and models take at most ${imageSideMax} on a side: crop or resize it`
  return null
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
