import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { promptFor } from '../../../src/main/runs/first-prompt.ts'
import { imageBytesMax } from '../../../src/shared/agents/images.ts'
import { entriesOf, openFixture, taskOf, until, untilQuiet } from '../../harness.ts'
import { gif, png, sha256Of } from '../../images.ts'
import { itInSoak } from '../../soak.ts'

const talk = `
version: 1
name: talk
agents:
  lead:
    turns:
      - say: I see.
`

const asked = (data: Buffer) => ({ data: data.toString('base64') })

async function withImage() {
  const fixture = await openFixture()
  const { client } = fixture.shiplog
  const projectId = fixture.project.id
  const { taskId } = await client.tasks.start({
    projectId,
    agent: { kind: 'scripted', scenario: talk, source: 'talk.yaml' },
    prompt: 'What is wrong here?',
    images: [asked(png)],
  })
  await untilQuiet(fixture.shiplog)
  return { ...fixture, client, taskId }
}

it('[J10] stores the images of a prompt in blobs/, named by its entry and the ledger', async () => {
  const { shiplog, client, dataDir, taskId } = await withImage()
  const ref = { mediaType: 'image/png', sha256: sha256Of(png), bytes: png.length }
  const [message] = (await entriesOf(shiplog, taskId)).filter(({ type }) => type === 'message')
  expect(message).toMatchObject({
    parts: [
      { type: 'image', ...ref },
      { type: 'text', text: 'What is wrong here?' },
    ],
  })
  expect((await taskOf(shiplog, taskId)).images).toEqual([ref])
  const blob = join(dataDir, 'sessions', taskId, 'blobs', ref.sha256)
  expect(await readFile(blob)).toEqual(png)
  expect(await client.transcripts.image({ taskId, sha256: ref.sha256 })).toEqual({
    mediaType: 'image/png',
    data: png.toString('base64'),
  })
})

it('[T7] accepts images with a follow-up, and one without words', async () => {
  const { shiplog, client, taskId } = await withImage()
  await client.tasks.prompt({ taskId, prompt: '', images: [asked(gif)] })
  await until(shiplog, ([root]) => root?.runs[1]?.status === 'completed')
  const prompts = (await entriesOf(shiplog, taskId)).filter(
    (entry) => entry.type === 'message' && entry.role === 'user',
  )
  expect(prompts[1]).toMatchObject({ parts: [{ type: 'image', sha256: sha256Of(gif) }] })
})

itInSoak('[T4] shows a restarted and a continued task the same images', async () => {
  const { shiplog, client, dataDir, taskId } = await withImage()
  await client.workspace.remove({ workspaceId: taskId })
  const { taskId: continued } = await client.tasks.continueFrom({ taskId })
  await untilQuiet(shiplog)
  expect((await taskOf(shiplog, continued)).images).toEqual([
    { mediaType: 'image/png', sha256: sha256Of(png), bytes: png.length },
  ])
  const blob = join(dataDir, 'sessions', continued, 'blobs', sha256Of(png))
  expect(await readFile(blob)).toEqual(png)
  // The image of the archived one as well.
  const { data } = await client.transcripts.image({ taskId, sha256: sha256Of(png) })
  expect(data).toBe(png.toString('base64'))
})

it.each([
  ['no image', Buffer.from('<svg/>'), 'The image is not a PNG, JPEG, GIF or WebP file.'],
  ['too large', Buffer.concat([png, Buffer.alloc(imageBytesMax)]), 'models take at most 3.9 MB'],
  ['too long', withWidth(png, 9000), '9000 × 1 pixels, and models take at most 8000'],
])('refuses %s before anything is recorded', async (_, data, message) => {
  const { shiplog, project } = await openFixture()
  const { client } = shiplog
  const projectId = project.id
  const agent = { kind: 'scripted', scenario: talk, source: 'talk.yaml' } as const
  const begun = client.tasks.start({ projectId, agent, prompt: 'Look', images: [asked(data)] })
  await expect(begun).rejects.toThrow(message)
  expect((await client.tasks.list({ all: true })).tasks).toEqual([])
})

it('refuses a follow-up without words and images', async () => {
  const { client, taskId } = await withImage()
  await expect(client.tasks.prompt({ taskId, prompt: '' })).rejects.toThrow()
})

it('sends an agent that stopped before its first prompt the first images with the new ones', () => {
  const first = { mediaType: 'image/png', sha256: sha256Of(png), bytes: png.length }
  const second = { mediaType: 'image/gif', sha256: sha256Of(gif), bytes: gif.length }
  const task = { prompt: 'Look', images: [first] }
  expect(promptFor(task, { text: 'And here', images: [second] }, false)).toEqual({
    text: 'Look\n\nAnd here',
    images: [first, second],
  })
  expect(promptFor(task, { text: 'And here', images: [] }, true).images).toEqual([])
})

/** Changes the width of a PNG, which is at byte 16. */
function withWidth(image: Buffer, width: number): Buffer {
  const wide = Buffer.from(image)
  wide.writeUInt32BE(width, 16)
  return wide
}
