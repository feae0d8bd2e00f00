/** What an agent writes is text: it runs nothing, fetches nothing, and can't pass for something else. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, playToEnd, test } from './app.ts'
import { archiveList, conversation, inspector, openAt, row } from './places.ts'

test('scripts, frames, remote images and odd links of agents stay text, and nothing leaves the host', async ({
  app,
  page,
}) => {
  const asked: string[] = []
  const elsewhere = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end('there')
  })
  await new Promise<void>((listening) => elsewhere.listen(0, '127.0.0.1', listening))
  const remote = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`

  const host = await app.serve()
  const project = await host.client.projects.add({ dir: await app.repository('parser') })
  const title = '<script>window.hacked = 1</script> <img src=x onerror="window.hacked = 1">'
  const root = await playToEnd(host, project, hostileScenario(remote), title)

  await openAt(page, host, `/t/${root.id}`)
  const talk = conversation(page)
  await expect(talk.getByRole('heading', { level: 1 })).toHaveText(title)
  await expect(row(page, '<script>window.hacked')).toBeVisible()
  await expect(talk.getByText('The end of it.')).toBeVisible()

  await test.step('it is shown as what it says', async () => {
    const list = talk.getByRole('region', { name: /^Transcript of / })
    await list.press('Home')
    await expect(talk.getByText('<script>window.hacked = 2</script>').first()).toBeVisible()
    await expect(talk.getByText(/<iframe src=/).first()).toBeVisible()
    await talk.getByRole('button', { name: /printf/ }).click()
    // Without the colours, and with the turn of direction made visible.
    await expect(talk.getByRole('figure', { name: 'Output' })).toContainText('red <U+202E>gnp.exe')
  })

  await test.step('in the report, the archive and the changes too', async () => {
    await talk.getByRole('button', { name: 'Changes and state' }).click()
    await expect(
      inspector(page)
        .getByText(/onerror=/)
        .first(),
    ).toBeVisible()
    await page.goto('about:blank')
    await openAt(page, host, `/archive/${root.id}/report`)
    await expect(archiveList(page).getByRole('treeitem', { name: /<script>/ })).toBeVisible()
    await expect(page.getByText('The end of it.')).toBeVisible()
    await page.getByRole('tab', { name: 'Transcript' }).click()
    await expect(page.getByText('The end of it.').last()).toBeAttached()
  })

  await test.step('nothing of it is an element, nothing ran, nothing was fetched', async () => {
    await page.goBack()
    const made = page.locator('#root').locator('script, iframe, object, img, video, form, style')
    await expect(made).toHaveCount(0)
    await expect(
      page.locator('a[href^="javascript:"], a[href^="data:"], a[href^="file:"]'),
    ).toHaveCount(0)
    expect(await page.evaluate(() => Object.hasOwn(window, 'hacked'))).toBe(false)
    expect(asked).toEqual([])
  })

  await test.step('a real link opens elsewhere, and knows nothing of this page', async () => {
    // The transcript that was shown before has the link too.
    const report = page.getByRole('tabpanel', { name: 'Report' })
    const link = report.getByRole('link', { name: 'an honest link' })
    await expect(link).toHaveAttribute('rel', /noopener/)
    const opened = page.context().waitForEvent('page')
    await link.click()
    const other = await opened
    await other.waitForURL(`${remote}/honest`)
    expect(await other.evaluate(() => [window.opener, document.referrer])).toEqual([null, ''])
    expect(asked).toContain('/honest')
    await expect(page.getByText('The end of it.')).toBeVisible()
  })
  elsewhere.closeAllConnections()
  await new Promise((closed) => elsewhere.close(closed))
})

const hostileScenario = (remote: string) => `version: 1
name: hostile
agents:
  lead:
    turns:
      - steps:
          - think: "<img src='${remote}/thought.png' onerror='window.hacked = 3'>"
          - say: |
              <script>window.hacked = 2</script>

              ![a picture](${remote}/said.png) and <img src="${remote}/said-html.png" onerror="window.hacked = 4">

              <iframe src="${remote}/frame"></iframe> <style>@import url('${remote}/style.css')</style>

              [run me](javascript:window.hacked=5) [read me](file:///etc/passwd) [data](data:text/html,<script>1</script>)

              <form action="${remote}/form"><input name="secret"></form>
          - call: bash
            with: { command: "printf '\\\\033[31mred\\\\033[0m \\\\342\\\\200\\\\256gnp.exe\\\\n'" }
          - call: write_file
            with: { path: "<img src=x onerror=alert(1)>.html", content: "<script src='${remote}/file.js'></script>\\n" }
          - call: task
            with: { agent: helper, title: "<b onclick='window.hacked = 6'>Help</b>", prompt: "<img src='${remote}/prompt.png'>" }
      - report:
          title: "<script>window.hacked = 7</script>"
          markdown: |
            ![remote](${remote}/report.png) <script src="${remote}/report.js"></script>

            [an honest link](${remote}/honest) and [a dishonest one](javascript:window.hacked=8).

            The end of it.
  helper:
    turns:
      - report: { title: "<svg onload='window.hacked = 9'>", markdown: "<object data='${remote}/object'></object>" }
`
