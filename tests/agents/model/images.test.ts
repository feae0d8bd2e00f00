/** Images of prompts and of results, on every wire. */
import { describe, expect, it } from 'vitest'
import { createShownImages } from '../../../src/main/agents/model/conversation/shown-images.ts'
import { call, say } from '../../fake-models/script.ts'
import { gif, png, sha256Of } from '../../images.ts'
import { promptOf } from '../../runs/run-stage.ts'
import { fakeModels, modelStage, wires } from './model-stage.ts'

const base64 = (image: Buffer) => image.toString('base64')
const look = [call('read_file', { path: 'shot.gif' })]

const withImage = {
  outcome: 'ok' as const,
  output: 'shot.gif: an image',
  images: [{ mediaType: 'image/gif', sha256: sha256Of(gif), data: gif }],
}

describe.each(wires)('on the wire %s', (wire) => {
  it('[J10] sends the model images of prompts and results, even after a resume', async () => {
    const fake = await fakeModels({ script: [look, [say('I see.')], [say('Still.')]] })
    const { session, run, entries } = await modelStage({ fake, wire, answer: () => withImage })
    const ref = { mediaType: 'image/png', ...(await session.storeBlob(png)) }
    await run('Go.', { prompt: { ...promptOf('What is this?'), images: [ref] } })
    await run('And now?')
    expect(fake.refused).toEqual([])
    for (const { body } of fake.requests.slice(1)) {
      expect(JSON.stringify(body)).toContain(base64(png))
      // Gemini takes no GIF.
      expect(JSON.stringify(body)).toContain(
        wire === 'google' ? 'an image (image/gif) that is not shown to you' : base64(gif),
      )
    }
    const recorded = JSON.stringify(await entries())
    expect(recorded).not.toContain(base64(png))
    expect(recorded).not.toContain(base64(gif))
    expect(recorded).toContain(sha256Of(gif))
  })

  it('[G7] sends a model without image input no images, and tells it so', async () => {
    const message = 'This model does not support image input'
    const fake = await fakeModels({
      script: [{ status: 400, message }, [say('I can not see it.')]],
    })
    const { session, run, entries } = await modelStage({ fake, wire })
    const ref = { mediaType: 'image/png', ...(await session.storeBlob(png)) }
    const outcome = await run('Go.', { prompt: { ...promptOf('What is this?'), images: [ref] } })
    expect(outcome).toMatchObject({ status: 'completed' })
    const body = JSON.stringify(fake.requests.at(-1)?.body)
    expect(body).not.toContain(base64(png))
    expect(body).toContain('an image (image/png) that is not shown to you')
    const retried = (await entries()).find(({ type }) => type === 'retrying')
    expect(JSON.stringify(retried)).toContain('takes no images')
  })
})

it('sends the newest images only, as many as every provider accepts', async () => {
  const fake = await fakeModels({ script: [[say('I see.')]] })
  const { session, run } = await modelStage({ fake })
  const images = await Promise.all(
    Array.from({ length: 25 }, async (_, index) => ({
      mediaType: 'image/png',
      ...(await session.storeBlob(Buffer.concat([png, Buffer.from([index])]))),
    })),
  )
  await run('Go.', { prompt: { text: 'Look.', images } })
  const body = JSON.stringify(fake.requests[0]?.body)
  expect(body.match(/"type":"image"/g)).toHaveLength(20)
  expect(fake.refused).toEqual([])
})

it('sends no more bytes of images than every provider accepts, the newest first', async () => {
  const images = createShownImages({ image: async () => null }, 'anthropic')
  const parts = ['first', 'second', 'third', 'fourth'].map((sha256) => ({
    type: 'image' as const,
    mediaType: 'image/png',
    sha256,
    data: Buffer.alloc(5_000_000),
  }))
  const shown = await images.of([{ type: 'user', parts }])
  expect(parts.filter(({ sha256 }) => shown(sha256)).map(({ sha256 }) => sha256)).toEqual([
    'third',
    'fourth',
  ])
})
