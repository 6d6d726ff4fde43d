/** `toolsieve/jev`: the judge that asks TypeSafe Jev, or a service of the same protocol. */

export { jevJudge, type JevJudgeOptions } from "./judges/jev/jev-judge.js";
