package io.berth.webhook.binding;

import io.berth.crds.binding.BindingField;

/**
 * A binding that selects a pod but does not decide a field that it sets.
 *
 * @param winner the source that decides the field
 * @param reason the reason, worded to follow "it lost because"
 */
public record OverriddenBinding(
    BindingKey loser, BindingField field, Source winner, String reason) {}
