package io.berth.webhook.binding;

import io.berth.crds.binding.BindingField;

/**
 * A binding that reaches a pod and does not decide a field that it sets.
 *
 * @param winner who decides it
 * @param reason why, in words that go on from "it lost because"
 */
public record Loss(BindingKey loser, BindingField field, Source winner, String reason) {}
