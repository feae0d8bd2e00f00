import { expect, it } from 'vitest'
import { createAttachments } from '../../../../src/renderer/store/prompt/attachments.ts'
import type { Attachment, ImageDrafts } from '../../../../src/renderer/store/prompt/image-drafts.ts'
import { imageBytesMax, promptImagesMax } from '../../../../src/shared/agents/images.ts'
import { gif, png } from '../../../images.ts'

const file = (name: string, content: Uint8Array) => ({
  name,
  arrayBuffer: async () => new Uint8Array(content).buffer,
})

const noneKept: ImageDrafts = { load: async () => new Map(), save: async () => {} }

it('keeps images for the next window, without those of drafts that were changed before they were read', async () => {
  const saved = new Map<string, readonly Attachment[]>()
  const kept: ImageDrafts = {
    load: async () => new Map(saved),
    save: async (key, images) => void saved.set(key, images),
  }
  const first = createAttachments(kept)
  await first.add('a', [file('1.png', png), file('2.gif', gif)])
  await first.add('b', [file('3.png', png)])
  const next = createAttachments(kept)
  const loading = next.load()
  next.clear('b')
  await loading
  const images = next.store.getState()
  expect(images.get('a')?.map(({ name }) => name)).toEqual(['1.png', '2.gif'])
  expect(images.has('b')).toBe(false)
  await next.add('a', [file('4.png', png)])
  const ids = next.store
    .getState()
    .get('a')
    ?.map(({ id }) => id)
  expect(new Set(ids).size).toBe(3)
})

it('recognizes images by their content, and names files that are none', async () => {
  const { add, remove, clear, store } = createAttachments(noneKept)
  const problems = await add('task', [
    file('shot.png', png),
    file('notes.png', Buffer.from('no image')),
    file('moving.gif', gif),
  ])
  expect(problems).toEqual(['notes.png is not a PNG, JPEG, GIF or WebP image.'])
  const images = store.getState().get('task') ?? []
  expect(images.map(({ name, mediaType, data }) => [name, mediaType, data])).toEqual([
    ['shot.png', 'image/png', png.toString('base64')],
    ['moving.gif', 'image/gif', gif.toString('base64')],
  ])
  remove('task', images[0]?.id ?? 0)
  expect(
    store
      .getState()
      .get('task')
      ?.map(({ name }) => name),
  ).toEqual(['moving.gif'])
  clear('task')
  expect(store.getState().has('task')).toBe(false)
})

it('refuses images that are too large, too many or unreadable, and separates those of tasks', async () => {
  const { add, store } = createAttachments(noneKept)
  const large = Buffer.concat([png, Buffer.alloc(imageBytesMax)])
  const gone = { name: 'gone.png', arrayBuffer: () => Promise.reject(new Error('gone')) }
  expect(await add('a', [file('large.png', large), gone])).toEqual([
    expect.stringMatching(/^large\.png has 3\.9 MB, and models take at most 3\.9 MB/),
    'gone.png could not be read.',
  ])
  const many = Array.from({ length: promptImagesMax + 1 }, (_, n) => file(`${n}.png`, png))
  expect(await add('a', many)).toEqual([
    '10.png was not added: a prompt can have at most 10 images.',
  ])
  expect(store.getState().get('b')).toBeUndefined()
  const whole = Buffer.concat([png, Buffer.alloc(imageBytesMax - png.length)])
  const three = ['1.png', '2.png', '3.png'].map((name) => file(name, whole))
  expect(await add('b', three)).toEqual([expect.stringMatching(/^3\.png was not added: .* 11 MB/)])
})
