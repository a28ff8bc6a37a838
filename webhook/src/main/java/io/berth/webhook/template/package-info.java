/** Templates of affinities and tolerations: compiled when applied, rendered for each pod. */
@NullMarked
package io.berth.webhook.template;

import org.jspecify.annotations.NullMarked;
