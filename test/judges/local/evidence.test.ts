import { describe, expect, it } from "vitest";
import type { JudgeMessage, ToolDescription } from "../../../src/core/types.js";
import { localJudge } from "../../../src/judges/local/local-judge.js";

const tools: readonly ToolDescription[] = [
  { name: "get_weather", description: "Current weather and forecast of a city" },
  { name: "send_email", description: "Sends an e-mail message to a recipient" },
  { name: "create_invoice", description: "Creates an invoice for a customer" },
  { name: "zyxgrub_reset", description: "Resets a zyxgrub" },
];
const judge = localJudge();

async function ask(
  request: string,
  before: readonly JudgeMessage[] = [],
): Promise<readonly unknown[]> {
  const messages = [...before, { role: "user", text: request } as const];
  const { probabilities } = await judge.judge(
    { context: { request, messages }, candidates: tools },
    { signal: new AbortController().signal },
  );
  return probabilities;
}

const nothing = tools.map(() => null);

describe("evidence", () => {
  it.each([
    ["a greeting", "hello there!"],
    ["thanks", "Thanks, good morning"],
    ["assent without a context", "yes, do that"],
    ["a request without an object", "Can you help me with this please?"],
    ["an emoji", "🙂"],
    ["a number", "42"],
    ["unknown words", "qwxv blarghz trwnkl"],
    ["Japanese", "明日の東京の天気を教えてください"],
    ["Chinese", "帮我查一下北京的天气"],
    ["Russian", "Какая погода завтра в Москве?"],
    ["Arabic", "ما هو الطقس غدا"],
    ["French", "Quel temps fait-il demain à Paris ?"],
    ["German", "Wie wird das Wetter morgen in Berlin?"],
    ["Spanish", "¿Qué tiempo hace mañana en Madrid?"],
    ["Italian", "Che tempo fa domani a Roma? Puoi dirmi la temperatura?"],
    ["Portuguese", "Qual é a previsão do tempo para amanhã em Lisboa?"],
    ["Dutch", "Wat is het weer morgen in Amsterdam?"],
    ["Polish", "Jaka jest jutro pogoda w Warszawie?"],
    ["Turkish", "Yarın İstanbul'da hava nasıl olacak?"],
  ])("abstains on every tool: %s", async (_, request) => {
    expect(await ask(request)).toEqual(nothing);
  });

  it.each([
    ["a question", "What will the weather be tomorrow?"],
    ["keywords", "weather Oslo"],
    ["a foreign name", "Find the weather in São Paulo and Zürich for me"],
    ["a word that only a tool knows", "zyxgrub"],
    ["a quotation", 'Send an email to Luis that says "hola"'],
    ["a task that no tool fits", "Prove that the square root of two is irrational"],
  ])("answers with numbers: %s", async (_, request) => {
    for (const answer of await ask(request)) expect(answer).toEqual(expect.any(Number));
  });

  it("reads assent by what was said before it", async () => {
    const before = [
      { role: "user", text: "Could you look up the weather in Oslo?" },
      { role: "assistant", text: "Shall I?" },
    ] as const;
    const answers = (await ask("yes, do that", before)) as readonly number[];
    expect(Math.max(...answers)).toBe(answers[0]);
  });

  it("abstains on another language, whatever was said before it", async () => {
    const before = [{ role: "user", text: "Could you look up the weather in Oslo?" }] as const;
    expect(await ask("帮我发一封邮件", before)).toEqual(nothing);
  });
});
