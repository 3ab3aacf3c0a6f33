/** The content of a page for one response. */
export interface View {
  readonly title: string;
  readonly content: readonly HTMLElement[];
  /**
   * Content that requires another request. The page adds it at the bottom when it is
   * ready.
   */
  readonly later?: Promise<readonly HTMLElement[]>;
  readonly isList?: boolean;
  /** Whether the content shows the request. */
  readonly hasExchange?: boolean;
}
