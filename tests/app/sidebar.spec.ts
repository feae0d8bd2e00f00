/** What the sidebar makes of a tree: its name, whether it was looked at, and whether it is folded. */
import { expect, playToEnd, start, test } from './app.ts'
import { conversation, openAt, pressPair, row, sidebar } from './places.ts'
import { gatedScenario, talkScenario } from './scenarios.ts'

test('a root is renamed from its row; a sub-agent keeps the name that its parent knows', async ({
  app,
  page,
}) => {
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const helper = app.gate('helper')
  const lead = app.gate('lead')
  for (const gate of [helper, lead]) await gate.open()
  const scenario = gatedScenario({ lead: lead.command, helper: helper.command })
  const { id } = await playToEnd(host, project, scenario, 'Do something about the parser')
  await openAt(page, host, `/t/${id}`)
  await expect(row(page, 'Help along')).toBeVisible()
  await row(page, 'Help along').click({ button: 'right' })
  await expect(page.getByRole('menuitem', { name: 'Copy ID' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Rename…' })).toHaveCount(0)
  await page.keyboard.press('Escape')

  await row(page, 'Do something').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Rename…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rename' })
  const title = dialog.getByRole('textbox', { name: 'Title' })
  await expect(title).toBeFocused()
  await expect(title).toHaveValue('Do something about the parser')
  await title.fill('   ')
  await expect(dialog.getByRole('button', { name: 'Rename' })).toBeDisabled()
  await title.fill(' Parser, second try ')
  await title.press('Enter')
  await expect(dialog).toBeHidden()
  await expect(row(page, 'Parser, second try')).toBeVisible()
  await expect(conversation(page).getByRole('heading', { level: 1 })).toHaveText(
    'Parser, second try',
  )
  const { tasks } = await host.client.tasks.list({ all: true })
  expect(tasks.map((task) => task.title)).toEqual(['Parser, second try'])
})

test('a root that ended unseen is marked until it is opened, and its tree is folded the next time', {
  tag: '@soak',
}, async ({ app, page }) => {
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const lead = app.gate('lead')
  const helper = app.gate('helper')
  await helper.open()
  const scenario = gatedScenario({ lead: lead.command, helper: helper.command })
  await openAt(page, host, '/settings')
  await expect(sidebar(page).getByRole('link', { name: 'Settings' })).toBeVisible()
  await start(host, project, scenario, 'Build it')
  const root = row(page, 'Build it')
  await lead.reached()
  await expect(root).toBeVisible()
  await expect(root.getByRole('img', { name: 'Unread' })).toHaveCount(0)
  await lead.open()
  await expect(root.getByRole('img', { name: 'Completed' })).toBeVisible()
  await expect(root.getByRole('img', { name: 'Unread' })).toHaveCount(1)
  await expect(row(page, 'Help along')).toBeVisible()

  await root.click()
  await expect(conversation(page).getByRole('heading', { name: 'Done together' })).toBeVisible()
  await expect(root.getByRole('img', { name: 'Unread' })).toHaveCount(0)
  // Nothing moves while it is being read; the next time it is folded.
  await expect(row(page, 'Help along')).toBeVisible()
  await page.reload()
  await expect(root).toHaveAttribute('aria-expanded', 'false')
  await expect(row(page, 'Help along')).toHaveCount(0)
  await root.press('ArrowRight')
  await expect(row(page, 'Help along')).toBeVisible()
  await page.reload()
  await expect(row(page, 'Help along')).toBeVisible()
})

test('keys that are pressed before the window is loaded take effect once it is', {
  tag: '@soak',
}, async ({ app, page }) => {
  const connect = Promise.withResolvers<void>()
  await page.routeWebSocket(/\/rpc$/, async (socket) => {
    await connect.promise
    socket.connectToServer()
  })
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  await start(host, project, talkScenario, 'Hello')
  await openAt(page, host)
  await expect(page.getByText('Opening the log…')).toBeVisible()
  await pressPair(page, 'g', 's')
  connect.resolve()
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
})

test('while the pointer is in the sidebar no row moves under it', async ({ app, page }) => {
  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const asking = (command: string) =>
    host.client.tasks.start({
      projectId: project.id,
      agent: {
        kind: 'scripted',
        scenario: `
version: 1
name: asking
agents:
  lead:
    turns:
      - call: bash
        with: { command: "touch ${command}" }
      - report: { title: Done, markdown: Done. }
`,
        source: 'asking.yaml',
      },
      prompt: `Write the ${command}`,
      permissions: 'ask',
    })
  const { taskId: first } = await asking('first')
  await openAt(page, host, '/settings')
  const list = page.getByRole('region', { name: 'Needs you' })
  await expect(list.getByRole('link')).toHaveCount(1)
  await asking('second')
  await expect(list.getByRole('link')).toHaveCount(2)
  const second = list.getByRole('link', { name: 'Write the second' })
  const agents = page.getByRole('tree', { name: 'Projects and agents' })
  const before = [await second.boundingBox(), await agents.boundingBox()]
  await second.hover()
  // A pointer that rests holds them for some seconds only, which pass quickly on a busy machine.
  let isMoving = true
  const moving = (async () => {
    for (let x = 5; isMoving; x = 11 - x) {
      await second.hover({ position: { x, y: 5 } })
      await page.waitForTimeout(200)
    }
  })()
  for await (const { questions } of await host.client.feed.permissions()) {
    const { id = '' } = questions.find(({ taskId }) => taskId === first) ?? {}
    await host.client.permissions.answer({ id, decision: { kind: 'deny', message: '' } })
    break
  }
  await expect(list.getByText('No longer waiting')).toBeVisible()
  // The agent itself may be back in the list already, as one to review.
  await expect(list.getByRole('link', { name: 'touch first' })).toHaveCount(0)
  await asking('third')
  await expect(list.getByRole('link', { name: 'Write the third' })).toBeAttached()
  expect([await second.boundingBox(), await agents.boundingBox()]).toEqual(before)
  isMoving = false
  await moving
  await page.mouse.move(900, 400)
  await expect(list.getByText('No longer waiting')).toHaveCount(0)
  await expect(list.getByRole('link', { name: 'Write the third' })).toBeVisible()
})
