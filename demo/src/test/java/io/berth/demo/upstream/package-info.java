@NullMarked
package io.berth.demo.upstream;

import org.jspecify.annotations.NullMarked;
