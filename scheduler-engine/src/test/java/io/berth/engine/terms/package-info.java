@NullMarked
package io.berth.engine.terms;

import org.jspecify.annotations.NullMarked;
