package io.berth.webhook.template;

/** The result of an expression that has no value. */
enum Missing {
  VALUE
}
