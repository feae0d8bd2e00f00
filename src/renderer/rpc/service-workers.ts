/**
 * Shiplog has no service worker. One that controls this page belongs to another program that used this port before, and
 * would see every request of the page.
 */
type Places = Pick<Window, 'location'> & { navigator: Pick<Navigator, 'serviceWorker'> }

/** Unregisters the service workers of this origin and reloads the page. Resolves to false if none controls it. */
export async function dropServiceWorkers({ navigator, location }: Places): Promise<boolean> {
  // Absent if the page is not from this machine, and in the desktop app.
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined
  if (!workers?.controller) return false
  const found = await workers.getRegistrations()
  await Promise.all(found.map((one) => one.unregister()))
  location.reload()
  return true
}
