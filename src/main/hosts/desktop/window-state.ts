/** The window's position when it was last closed. Losing it costs a user one drag; nothing waits for it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type BrowserWindow, screen } from 'electron'
import { z } from 'zod'
import { isReachable } from './reachable.ts'

const windowStateSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int(),
  height: z.number().int(),
  maximized: z.boolean(),
})
type WindowState = z.infer<typeof windowStateSchema>

/** Null when there is none, or when it would lie on a screen that is no longer there. */
export function readWindowState(file: string): WindowState | null {
  let state: WindowState
  try {
    state = windowStateSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
  return screen.getAllDisplays().some(({ workArea }) => isReachable(state, workArea)) ? state : null
}

export function writeWindowState(file: string, window: BrowserWindow): void {
  const state: WindowState = { ...window.getNormalBounds(), maximized: window.isMaximized() }
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify(state), { mode: 0o600 })
  } catch (error) {
    console.error(`The window's place was not kept: ${String(error)}`)
  }
}
