/** The reasons why a package adds nothing to the corpus. */

/** Category that `collected.json` counts. */
export type FailureReason =
  | "install"
  | "licence"
  | "no command"
  | "exited"
  | "timeout"
  | "protocol"
  | "no tools"
  | "copy of a demo server"
  | "copy of another server";

/** A package that adds nothing, with its category and a text for whoever mends the list. */
export class CollectFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, detail: string) {
    super(detail);
    this.name = new.target.name;
    this.reason = reason;
  }
}
