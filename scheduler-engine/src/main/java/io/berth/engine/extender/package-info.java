/** HTTP extenders as policies name them: values that say who is asked what. */
@NullMarked
package io.berth.engine.extender;

import org.jspecify.annotations.NullMarked;
