/** Images that people give agents with a prompt, and that tools show them: the limits. `image-kind.ts` checks them. */
import { z } from 'zod'

/** Anthropic takes 5 MB of base64, which is the least of all providers. */
export const imageBytesMax = 3_900_000
/** Anthropic refuses an image with a longer side; every provider shrinks it to a fraction of that anyway. */
export const imageSideMax = 8000
/** Limit for one prompt. In base64 its images have to fit into one message to a web host (16 MB). */
export const promptImagesMax = 10
export const promptImagesBytesMax = 11_000_000

/** An image that a person attaches to a prompt. Its type is detected from its content: PNG, JPEG, GIF or WebP. */
const promptImageSchema = z.object({ data: z.base64() })
export type PromptImage = z.infer<typeof promptImageSchema>
export const promptImagesSchema = z.array(promptImageSchema).max(promptImagesMax)
