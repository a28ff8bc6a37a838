/** Why a pod went where it went: numbers kept, words rendered when asked for. */
@NullMarked
package io.berth.engine.decision;

import org.jspecify.annotations.NullMarked;
