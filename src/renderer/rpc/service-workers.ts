/**
 * Shiplog has no service worker. If one controls this page, it is of another program that used this port before,
 * and would see all that the page asks for.
 */
type Places = Pick<Window, 'location'> & { navigator: Pick<Navigator, 'serviceWorker'> }

/** Takes those of this origin away and loads the page again without them. False when none controls it. */
export async function dropServiceWorkers({ navigator, location }: Places): Promise<boolean> {
  // Absent where the page is not from this machine, and in the desktop app.
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined
  if (!workers?.controller) return false
  const found = await workers.getRegistrations()
  await Promise.all(found.map((one) => one.unregister()))
  location.reload()
  return true
}
