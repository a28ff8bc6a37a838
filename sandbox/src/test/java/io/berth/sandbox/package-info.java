@NullMarked
package io.berth.sandbox;

import org.jspecify.annotations.NullMarked;
