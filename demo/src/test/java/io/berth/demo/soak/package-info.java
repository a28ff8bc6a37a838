@NullMarked
package io.berth.demo.soak;

import org.jspecify.annotations.NullMarked;
