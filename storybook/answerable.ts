import { expect, waitFor, within } from 'storybook/test'

/** The button of a request, once a click on it answers. */
export async function answerable(canvas: HTMLElement, name: string): Promise<HTMLElement> {
  const button = () => within(canvas).getByRole('button', { name })
  await waitFor(() => {
    expect(button()).toBeEnabled()
    expect(button()).not.toHaveAttribute('aria-disabled')
  })
  return button()
}
