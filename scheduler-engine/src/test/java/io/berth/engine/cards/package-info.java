/** Tests of GPU cards. */
@NullMarked
package io.berth.engine.cards;

import org.jspecify.annotations.NullMarked;
