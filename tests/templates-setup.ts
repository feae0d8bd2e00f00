/** Makes the folder of repository templates that all workers share, and removes it after the last test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export default function setup(): () => void {
  const dir = mkdtempSync(join(tmpdir(), 'shiplog-templates-'))
  process.env.SHIPLOG_TEST_TEMPLATES = dir
  return () => rmSync(dir, { recursive: true, force: true })
}
