/**
 * HTTP extenders in policies: values that describe which extender is called for which pods and
 * verbs.
 */
@NullMarked
package io.berth.engine.extender;

import org.jspecify.annotations.NullMarked;
