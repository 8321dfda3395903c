import { Component, type VNode } from 'preact';

interface CopyProps {
  text: () => string;
  words: { copy: string; copied: string };
}

/** Long enough to be read, and for a second copy to be told again. */
const TOLD_MS = 3000;

/** Copies the text, and says so beside its button; nothing where the page may not write to the clipboard. */
export class Copy extends Component<CopyProps, { isCopied: boolean }> {
  private timer: ReturnType<typeof setTimeout> | undefined;

  override componentWillUnmount(): void {
    clearTimeout(this.timer);
  }

  private readonly tell = (isCopied: boolean): void => {
    clearTimeout(this.timer);
    this.setState({ isCopied });
    if (isCopied) this.timer = setTimeout(this.tell, TOLD_MS, false);
  };

  private readonly copy = (): void => {
    // Where it is refused the text can still be selected by hand.
    navigator.clipboard.writeText(this.props.text()).then(
      () => this.tell(true),
      () => this.tell(false),
    );
  };

  override render({ words }: CopyProps, { isCopied }: { isCopied: boolean }): VNode | null {
    if (!globalThis.navigator?.clipboard) return null;
    return (
      <div class="copy">
        <span role="status">{isCopied && words.copied}</span>
        <button type="button" onClick={this.copy}>
          {words.copy}
        </button>
      </div>
    );
  }
}
