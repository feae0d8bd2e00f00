import { describe, expect, it } from 'vitest'
import { runToEnd } from './fake-process.ts'

describe('usage of the command line', () => {
  it('refuses an unknown command with exit 2 and the help', async () => {
    const { code, stdout, stderr } = await runToEnd(['launch'])
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain("unknown command 'launch'")
    expect(stderr).toContain('Usage: shiplog')
  })

  it.each([
    [['search', 'x']],
    [['import', 'codex', 'x']],
    [['transcripts', 'export', 'abcd', '--format', 'md']],
  ])('%j is no command yet, and no stub of one', async (argv) => {
    const { code, stderr } = await runToEnd(argv)
    expect(code).toBe(2)
    expect(stderr).toContain('unknown command')
  })

  it.each([
    [['tasks']],
    [['tasks', 'report']],
    [['tasks', 'list', '--status', 'asleep']],
    [['tasks', 'list', 'extra']],
    [['--bogus']],
    [['agent', 'run', 'Do it']],
    [['agent', 'run', '--project', '.']],
    [['agent', 'run', '--project', '.', '--scenario', 'x', '--max-agents', '17']],
    [['agent', 'run', '--project', '.', '--agent', 'psychic']],
    [['agent', 'run', '--resume', 'abcd', '--scenario', 'x']],
    [['agent', 'run', '--resume', 'abcd', '--isolation', 'in-place', '--keep']],
    [['agent', 'run', '--resume', 'abcd', '--agent', 'scripted']],
    [['agent', 'run', '--project', '.', '--scenario', 'x', '--force']],
    [['tasks', 'resume', 'abcd', '--batch', 'wave-1']],
    [['tasks', 'resume', '--batch', '--tree']],
    [['tasks', 'resume', '--max-agents', '0']],
    [['tasks', 'resume', 'abcd', 'efgh']],
    [['projects', 'environment']],
    [['projects', 'environment', '--project', '.', '--pass', 'A=b']],
    [['projects', 'environment', '--project', '.', '--reset', '--only', 'A']],
    [['tasks', 'retry']],
    [['tasks', 'abandon']],
    [['tasks', 'continue']],
    [['agent', 'run', '--project', '.', '--scenario', '/nowhere/at/all.yaml']],
    [['transcripts', 'show', 'abcd', '--from', '0']],
    [['transcripts', 'show', 'abcd', '--format', 'pdf']],
    [['serve', '--port', '70000']],
  ])('%j is a mistake of usage: exit 2, said on standard error', async (argv) => {
    const { code, stdout, stderr } = await runToEnd(argv)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).not.toBe('')
  })

  it('prints help and version on standard output with exit 0', async () => {
    const help = await runToEnd(['--help'])
    expect(help.code).toBe(0)
    expect(help.stdout).toContain('Exit codes:')
    expect(help.stderr).toBe('')
    expect(await runToEnd(['--version'])).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' })
    expect((await runToEnd(['agent', 'run', '--help'])).stdout).toContain('--scenario <file>')
  })

  it('takes the shared options before and after the command', async () => {
    const asked: (string | undefined)[] = []
    const resolveDataDir = async (flag: string | undefined) => {
      asked.push(flag)
      return '/data'
    }
    for (const argv of [
      ['--data-dir', '/kept', '--json', 'tasks', 'list'],
      ['tasks', '--data-dir=/kept', 'list', '--json'],
      ['tasks', 'list', '--json', '--data-dir', '/kept'],
    ]) {
      const { code, stdout } = await runToEnd(argv, { resolveDataDir })
      expect({ argv, code, stdout }).toEqual({ argv, code: 0, stdout: '{"tasks":[]}\n' })
    }
    expect(asked).toEqual(['/kept', '/kept', '/kept'])
  })
})
