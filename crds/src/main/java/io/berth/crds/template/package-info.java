/**
 * The templated parts of Kubernetes affinities, tolerations, and topology spread constraints, as
 * they appear in a config.
 */
@NullMarked
package io.berth.crds.template;

import org.jspecify.annotations.NullMarked;
