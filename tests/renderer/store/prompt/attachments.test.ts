import { expect, it } from 'vitest'
import { createAttachments } from '../../../../src/renderer/store/prompt/attachments.ts'
import { imageBytesMax, promptImagesMax } from '../../../../src/shared/agents/images.ts'
import { gif, png } from '../../../images.ts'

const file = (name: string, content: Uint8Array) => ({
  name,
  arrayBuffer: async () => new Uint8Array(content).buffer,
})

it('recognizes images by their content, and names files that are none', async () => {
  const { add, remove, clear, store } = createAttachments()
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
  const { add, store } = createAttachments()
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
