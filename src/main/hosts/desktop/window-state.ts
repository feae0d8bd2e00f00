/** Size, place and zoom of the windows when they were last closed. Losing them costs a user one drag. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type BrowserWindow, screen } from 'electron'
import { z } from 'zod'
import { isReachable } from './reachable.ts'

/** A window for one transcript has its own place: it is read beside the main window. */
export type WindowKind = 'main' | 'transcript'

/** What Chromium allows. */
const zoomFactorSchema = z.number().min(0.25).max(5)

const windowStateSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int(),
  height: z.number().int(),
  maximized: z.boolean(),
  fullScreen: z.boolean(),
  /** 1 is 100 %. */
  zoomFactor: zoomFactorSchema,
})
type WindowState = z.infer<typeof windowStateSchema>

const windowStatesSchema = z.object({
  main: windowStateSchema.nullable().catch(null),
  transcript: windowStateSchema.nullable().catch(null),
})

/** The stored state; null if there is none, or if the window would lie on a screen that is gone. */
export function readWindowState(file: string, kind: WindowKind): WindowState | null {
  const state = readStates(file)[kind]
  if (state === null) return null
  return screen.getAllDisplays().some(({ workArea }) => isReachable(state, workArea)) ? state : null
}

export function writeWindowState(file: string, kind: WindowKind, window: BrowserWindow): void {
  const state: WindowState = {
    ...window.getNormalBounds(),
    maximized: window.isMaximized(),
    fullScreen: window.isFullScreen(),
    zoomFactor: window.webContents.getZoomFactor(),
  }
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify({ ...readStates(file), [kind]: state }), { mode: 0o600 })
  } catch (error) {
    console.error(`The window's place was not kept: ${String(error)}`)
  }
}

function readStates(file: string): Record<WindowKind, WindowState | null> {
  try {
    return windowStatesSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return { main: null, transcript: null }
  }
}
