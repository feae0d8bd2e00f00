/**
 * A host that a test kills: starts one task on the data directory of its first argument, and stops it once its agent was
 * prompted if the third one says so. The second argument is what `tasks.start` is given.
 */
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openShiplog } from '../../../src/main/composition/shiplog.ts'

const [dataDir = '', request = '', stopsAfter = ''] = process.argv.slice(2)
const shiplog = await openShiplog({ host: 'cli', dataDir, canAsk: () => true })
const { taskId } = await shiplog.client.tasks.start(JSON.parse(request))
while (stopsAfter !== '') {
  await sleep(20)
  if (!existsSync(stopsAfter) || !readFileSync(stopsAfter, 'utf8').includes('session/prompt'))
    continue
  await sleep(200)
  await shiplog.client.tasks.stop({ taskId })
  break
}
// Until it is killed, or its task is over.
await shiplog.client.tasks.resumeEnded({ taskIds: [taskId] })
await shiplog.close()
