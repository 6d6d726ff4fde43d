/**
 * Everyday words that mean much the same in requests and tool descriptions. A word may stand in
 * several groups.
 */

import { stem } from "../../core/words.js";

/** One group a line. Only common senses: a rare one costs more than it finds. */
const groups = `
movie film cinema
buy purchase order
delete remove erase cancel
picture image photo photograph
kid child children
cost price fee
find search lookup locate seek
get fetch retrieve obtain
create make generate build
update edit modify change
send deliver
email mail
car vehicle automobile
flight airline plane
hotel accommodation lodging
restaurant dining
job career employment
doctor physician
medicine drug medication
song music track
singer artist musician
weather forecast
rain precipitation
temperature climate
town city
country nation
map location
road route direction
money currency
stock share ticker
news headline article
translate translation
language linguistic
reserve book booking reservation
ticket booking
house home property
apartment flat rental
rent rental lease
trip travel journey vacation
attraction sightseeing tourist
food meal dish recipe
diet nutrition calorie
workout exercise fitness
calculate compute
add sum plus
multiply product
average mean
show display
list enumerate
begin start
stop end
pay payment
bill invoice
customer client
user account
company business organization firm
employee staff worker
meeting appointment event
calendar schedule agenda
remind reminder
message text sms
call phone telephone
file document
folder directory
website site webpage url
link url
video clip
play stream
gift present
shop store
clothes clothing fashion
game gaming
team club
match fixture
player athlete
score result
student pupil
teacher instructor
school university college
learn study
course class lesson
teach education
law legal
lawyer attorney
crime police
health medical
sick illness disease
symptom diagnosis
animal pet
plant garden
quote quotation
joke humor funny
summary summarize
review rating
compare comparison
convert conversion
random shuffle
password credential
login signin authenticate
bug issue defect
code program script
repository repo
database sql
chart graph plot diagram
pdf document
keyword term
domain hostname
token coin crypto cryptocurrency
bitcoin crypto
ship shipping delivery
package parcel shipment
track trace
near nearby around
cheap discount deal coupon
sale promotion
day date
birth birthday
name title
author writer
horoscope zodiac astrology
show tv television series
season episode
podcast audio
radio station
`;

function readGroups(text: string): ReadonlyMap<string, readonly string[]> {
  const related = new Map<string, Set<string>>();
  for (const line of text.trim().split("\n")) {
    const stems = new Set(line.split(" ").map(stem));
    for (const one of stems) {
      const others = related.get(one) ?? new Set();
      for (const other of stems) if (other !== one) others.add(other);
      related.set(one, others);
    }
  }
  return new Map(Array.from(related, ([one, others]) => [one, [...others]]));
}

const synonyms = readGroups(groups);

/** Stems that mean much the same as a stem. */
export function listSynonyms(stemmed: string): readonly string[] {
  return synonyms.get(stemmed) ?? [];
}
