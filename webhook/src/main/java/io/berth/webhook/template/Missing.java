package io.berth.webhook.template;

/** The value of what there is no value for. */
enum Missing {
  VALUE
}
