/**
 * Yields the pages of a transcript or journal in order. `read` returns the page that begins at the record `seq`, with
 * the seq of the next page, null at the end. A page is read only when the one before it has been used.
 */
export async function* readPages<Page extends { nextSeq: number | null }>(
  fromSeq: number,
  read: (seq: number) => Promise<Page>,
): AsyncGenerator<Page> {
  for (let seq: number | null = fromSeq; seq !== null; ) {
    const page: Page = await read(seq)
    yield page
    seq = page.nextSeq
  }
}
