/** Retention on a real data directory whose clock the tests set. */
import { onTestFinished, vi } from 'vitest'
import { openShiplog, type Shiplog } from '../../src/main/composition/shiplog.ts'
import { makePatient, type Patient } from '../doctor/patient.ts'
import { dayMs } from './tasks.ts'

export const pass = (days: number): void => void vi.setSystemTime(Date.now() + days * dayMs)

interface Stage extends Patient {
  open(options?: { sweepAtStart?: boolean; host?: 'cli' | 'web' }): Promise<Shiplog>
}

export async function stage(): Promise<Stage> {
  const patient = await makePatient()
  return {
    ...patient,
    async open(options = {}) {
      const shiplog = await openShiplog({ dataDir: patient.dataDir, host: 'cli', ...options })
      onTestFinished(() => shiplog.close())
      return shiplog
    },
  }
}

/** The doctor waits for what goes on in the background. */
export const startIsOver = (shiplog: Shiplog) => doctorOf(shiplog)
export const doctorOf = async ({ client }: Shiplog) =>
  (await client.doctor.check({ repair: false })).problems
