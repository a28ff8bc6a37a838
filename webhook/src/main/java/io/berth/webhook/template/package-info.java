/**
 * Templates of affinities, tolerations, and topology spread constraints, which are compiled when a
 * config is applied and rendered for each pod.
 */
@NullMarked
package io.berth.webhook.template;

import org.jspecify.annotations.NullMarked;
