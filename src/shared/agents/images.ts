/** Limits for the images of prompts and of tool results. `image-kind.ts` checks them. */
import { z } from 'zod'

/** Anthropic accepts 5 MB of base64, the lowest limit of all providers. */
export const imageBytesMax = 3_900_000
/** Anthropic rejects an image with a longer side; every provider resizes it to a fraction of that anyway. */
export const imageSideMax = 8000
/** Limit for one prompt. In base64 its images must fit into one message to a web host (16 MB). */
export const promptImagesMax = 10
export const promptImagesBytesMax = 11_000_000

/** An image that a user attaches to a prompt. Its type is detected from its content: PNG, JPEG, GIF or WebP. */
const promptImageSchema = z.object({ data: z.base64() })
export type PromptImage = z.infer<typeof promptImageSchema>
export const promptImagesSchema = z.array(promptImageSchema).max(promptImagesMax)
