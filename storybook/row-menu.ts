import { screen, userEvent, within } from 'storybook/test'

/** Chooses an item from the menu of an agent's row in the sidebar, whose name `row` matches. */
export async function chooseFromRowMenu(
  canvasElement: HTMLElement,
  { row, item }: { row: RegExp; item: string },
): Promise<void> {
  const target = await within(canvasElement).findByRole('treeitem', { name: row })
  await userEvent.pointer({ target, keys: '[MouseRight]' })
  await userEvent.click(await screen.findByRole('menuitem', { name: item }))
}
