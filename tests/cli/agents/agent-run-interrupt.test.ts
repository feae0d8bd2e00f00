import { describe, expect, it } from 'vitest'
import { jsonLines, startCli } from '../fake-process.ts'
import { createFakeShiplog } from '../fake-shiplog.ts'
import { argvFor, leadAndTester, scenariosInFolder } from './agent-run-stage.ts'

scenariosInFolder()

describe('Ctrl-C', () => {
  it('interrupts cleanly once, says what, and exits 130', async () => {
    const fake = createFakeShiplog()
    const { leadDone } = leadAndTester(fake)
    const cli = startCli(argvFor('/code/api'), { fake })
    await cli.said('waiting for 1 sub-agent')
    await leadDone
    cli.signal('SIGINT')
    const { code, stderr } = await cli.ended
    expect(code).toBe(130)
    expect(stderr).toContain('Interrupting 1 agent…')
    expect(stderr).toMatch(/❚❚ interrupted\s+Add tests/)
    expect(fake.closedHow[0]).toBe('interrupt')
    expect(cli.leftWith).toEqual([])
  })

  it('leaves at once when it comes twice', async () => {
    const fake = createFakeShiplog()
    leadAndTester(fake)
    const cli = startCli(argvFor('/code/api'), { fake })
    await cli.said('waiting for 1 sub-agent')
    cli.signal('SIGINT')
    cli.signal('SIGINT')
    expect(cli.leftWith).toEqual([130])
    await cli.ended
  })

  it('ends the JSON Lines with a result nevertheless', async () => {
    const fake = createFakeShiplog()
    fake.onStart(async (lead) => {
      await Promise.resolve()
      fake.spawn(lead)
      cli.signal('SIGTERM')
    })
    const cli = startCli(argvFor('/code/api', '--json'), { fake })
    const { code, stdout } = await cli.ended
    expect(code).toBe(143)
    expect(jsonLines(stdout).at(-1)).toMatchObject({ type: 'result', status: 'interrupted' })
  })
})
