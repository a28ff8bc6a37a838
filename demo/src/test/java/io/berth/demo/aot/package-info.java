@NullMarked
package io.berth.demo.aot;

import org.jspecify.annotations.NullMarked;
