/* replay.js - the snapshots in three dimensions: WebGL2, no library. Frames are decoded when they are first shown.
 * window.myriadReplay lets tests and the curious drive it: frames, show(k), turn(yaw, pitch), pixels().
 * A live page (data-scene) begins without frames; live.js brings them with push({t, limit, bytes}). */
(function () {
    'use strict';
    var get = function (id) { return document.getElementById(id); };
    var canvas = get('replay-canvas'), words = get('replay-words'), data = get('replay-data').dataset;
    var play = get('replay-play'), slider = get('replay-frame'), speed = get('replay-speed');
    var select = get('replay-colour'), smooth = get('replay-smooth');
    var live = data.scene !== undefined, room = 4.8e7, most = 400; /* bytes and frames that a live page keeps */
    var frames = Array.from(document.querySelectorAll('script.frame')).map(function (f) {
        return {t: +f.dataset.t, limit: +f.dataset.limit, read: function () { return decode(f.textContent); }};
    });
    var colourings = Array.from(document.querySelectorAll('script.colouring'));
    var drawn = +data.drawn, scale = +data.scale, reach = +data.reach;
    var categories = ['#56b4e9', '#ff8a3d', '#2fc79a', '#e39ac6', '#f0c542', '#9ad2ff', '#ffffff', '#98a2ae',
                      '#b79aff', '#d79a6b', '#b5d95a', '#ff7aa8'];
    var few = 32, tail = 60; /* bodies that leave traces, and snapshots in a trace */
    var still = matchMedia('(prefers-reduced-motion: reduce)');
    var gl, points, sticks, lines, bonds, bondBuffer, shades = [], paletteTexture, vertices;
    var at = 0, playing = false, before = 0, asked = false;
    var first = {yaw: 0.6, pitch: 0.35, distance: 2.45, x: 0, y: 0}, camera = Object.assign({}, first);

    function say(text) {
        words.textContent = text;
        words.hidden = false;
        canvas.hidden = true;
        get('replay-controls').hidden = true;
        document.querySelectorAll('.stage .over, .stage .axis').forEach(function (e) { e.hidden = true; });
    }

    function decode(text) {
        var binary = atob(text.trim()), bytes = new Uint8Array(binary.length);
        for (var k = 0; k < bytes.length; k++)
            bytes[k] = binary.charCodeAt(k);
        return bytes;
    }

    /* --- WebGL ------------------------------------------------------------------------------------------------- */

    function program(vertex, fragment) {
        var p = gl.createProgram(), name = fragment;
        [[gl.VERTEX_SHADER, vertex + '.vert'], [gl.FRAGMENT_SHADER, fragment + '.frag']].forEach(function (kind) {
            var s = gl.createShader(kind[0]);
            gl.shaderSource(s, get(kind[1]).textContent.trim());
            gl.compileShader(s);
            if (!gl.getShaderParameter(s, gl.COMPILE_STATUS) && !gl.isContextLost())
                throw new Error(kind[1] + ': ' + gl.getShaderInfoLog(s));
            gl.attachShader(p, s);
        });
        gl.linkProgram(p);
        if (!gl.getProgramParameter(p, gl.LINK_STATUS) && !gl.isContextLost())
            throw new Error(name + ': ' + gl.getProgramInfoLog(p));
        return {is: p, at: function (uniform) { return gl.getUniformLocation(p, uniform); }};
    }

    function upload(bytes) {
        var b = gl.createBuffer();
        gl.bindBuffer(gl.ARRAY_BUFFER, b);
        gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW);
        return b;
    }

    function frameBuffer(k) {
        if (!frames[k].buffer)
            frames[k].buffer = upload(frames[k].read());
        return frames[k].buffer;
    }

    function niceLength(x) {
        var power = Math.pow(10, Math.floor(Math.log10(x)));
        return power * (x / power >= 5 ? 5 : x / power >= 2 ? 2 : 1);
    }

    /* Everything that lives in the graphics context; again after it was lost. */
    function build() {
        frames.forEach(function (f) { f.buffer = null; });
        shades = [];
        points = program('point', 'point');
        lines = program('line', 'line');
        if (bonds) {
            sticks = program('point', 'bond');
            bondBuffer = gl.createBuffer();
            gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, bondBuffer);
            gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, bonds, gl.STATIC_DRAW);
        }
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_COLOR); /* light on light, in any order, without burning out */
        gl.disable(gl.DEPTH_TEST);
        var a = niceLength(reach) / reach;
        vertices = upload(new Float32Array([-a, 0, 0, a, 0, 0, 0, -a, 0, 0, a, 0, 0, 0, -a, 0, 0, a]));
        paletteTexture = gl.createTexture();
        setPalette();
    }

    function hexBytes(text) {
        return text.match(/../g).map(function (h) { return parseInt(h, 16); });
    }

    /* Colour k of the page's scale, made as bright as it can be: dark ones would not be seen on black. */
    function scaleColour(rgb, k) {
        var from = 3 * Math.round(44 + k * 211 / 255), c = rgb.slice(from, from + 3);
        var gain = 255 * (0.6 + 0.4 * k / 255) / Math.max(c[0], c[1], c[2]);
        return c.map(function (x) { return Math.min(255, x * gain); });
    }

    /* Colour k of a colouring with categories. */
    function categoryColour(colouring, k) {
        var own = colouring.dataset.colours;
        return own ? '#' + (own.slice(6 * k, 6 * k + 6) || 'ffffff') : categories[k % categories.length];
    }

    function paletteBytes(colouring) {
        var rgb = hexBytes(data.palette), bytes = new Uint8Array(1024), known = colouring && +colouring.dataset.categories;
        for (var k = 0; k < 256; k++) {
            var c = known ? hexBytes(categoryColour(colouring, k).slice(1)) : scaleColour(rgb, k);
            bytes.set([c[0], c[1], c[2], 255], 4 * k);
        }
        return bytes;
    }

    function setPalette() {
        gl.bindTexture(gl.TEXTURE_2D, paletteTexture);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, paletteBytes(colourings[select.value]));
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    }

    function shadeBuffer() {
        var k = +select.value || 0;
        if (!shades[k])
            shades[k] = upload(colourings[k] ? decode(colourings[k].textContent) : new Uint8Array(drawn).fill(200));
        return shades[k];
    }

    /* --- the camera: column-major matrices ----------------------------------------------------------------------- */

    function viewMatrix() {
        var cy = Math.cos(camera.yaw), sy = Math.sin(camera.yaw), cp = Math.cos(camera.pitch), sp = Math.sin(camera.pitch);
        /* z is up: turn about z, then lean towards the eye */
        return new Float32Array([cy, sp * sy, cp * sy, 0, -sy, sp * cy, cp * cy, 0, 0, cp, -sp, 0,
                                 camera.x, camera.y, -camera.distance, 1]);
    }

    function projectionMatrix() {
        var f = 1.9, near = 0.02, far = 400, aspect = canvas.width / canvas.height;
        var wide = aspect < 1 ? aspect : 1; /* a narrow canvas shows as much */
        return new Float32Array([f * wide / aspect, 0, 0, 0, 0, f * wide, 0, 0, 0, 0, (far + near) / (near - far), -1,
                                 0, 0, 2 * far * near / (near - far), 0]);
    }

    /* --- drawing --------------------------------------------------------------------------------------------------- */

    function resize() {
        var ratio = Math.min(window.devicePixelRatio || 1, 2);
        var w = Math.max(1, Math.round(canvas.clientWidth * ratio)), h = Math.max(1, Math.round(canvas.clientHeight * ratio));
        if (canvas.width !== w || canvas.height !== h) {
            canvas.width = w;
            canvas.height = h;
        }
        return ratio;
    }

    /* Sets up a program that places the particles; gives what takes it down again. */
    function place(program, view, projection, k, blend, numbers) {
        var next = Math.min(k + 1, frames.length - 1);
        gl.useProgram(program.is);
        [[0, frameBuffer(k)], [1, frameBuffer(blend > 0 ? next : k)]].forEach(function (pair) {
            gl.bindBuffer(gl.ARRAY_BUFFER, pair[1]);
            gl.enableVertexAttribArray(pair[0]);
            gl.vertexAttribIPointer(pair[0], 3, gl.SHORT, 6, 0);
        });
        gl.bindBuffer(gl.ARRAY_BUFFER, shadeBuffer());
        gl.enableVertexAttribArray(2);
        gl.vertexAttribPointer(2, 1, gl.UNSIGNED_BYTE, true, 1, 0);
        gl.bindTexture(gl.TEXTURE_2D, paletteTexture);
        gl.uniformMatrix4fv(program.at('view'), false, view);
        gl.uniformMatrix4fv(program.at('projection'), false, projection);
        numbers = Object.assign({scale: scale, reach: reach, blend: blend, limitNow: frames[k].limit,
                                 limitNext: frames[next].limit}, numbers);
        Object.keys(numbers).forEach(function (name) { gl.uniform1f(program.at(name), numbers[name]); });
        return function () {
            [0, 1, 2].forEach(function (location) { gl.disableVertexAttribArray(location); });
        };
    }

    function drawPoints(view, projection, ratio, k, blend, light) {
        var size = Math.min(20, Math.max(3, 150 / Math.sqrt(drawn)));
        var done = place(points, view, projection, k, blend,
                         {size: size * ratio, strength: light * Math.min(1, Math.max(0.3, 50 / Math.sqrt(drawn)))});
        gl.drawArrays(gl.POINTS, 0, drawn);
        done();
    }

    /* Lines are one pixel wide: several of them, beside each other, make a bond. */
    function drawBonds(view, projection, ratio, k, blend) {
        var done = place(sticks, view, projection, k, blend, {size: 1}), moved = projection.slice();
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, bondBuffer);
        for (var x = -1; x <= 1; x++)
            for (var y = -1; y <= 1; y++) {
                moved[8] = 2 * x * ratio / canvas.width;
                moved[9] = 2 * y * ratio / canvas.height;
                gl.uniformMatrix4fv(sticks.at('projection'), false, moved);
                gl.drawElements(gl.LINES, bonds.length, gl.UNSIGNED_SHORT, 0);
            }
        done();
    }

    function drawAxes(view, projection) {
        gl.useProgram(lines.is);
        gl.bindBuffer(gl.ARRAY_BUFFER, vertices);
        gl.enableVertexAttribArray(3);
        gl.vertexAttribPointer(3, 3, gl.FLOAT, false, 12, 0);
        gl.uniformMatrix4fv(lines.at('view'), false, view);
        gl.uniformMatrix4fv(lines.at('projection'), false, projection);
        gl.drawArrays(gl.LINES, 0, 6);
        gl.disableVertexAttribArray(3);
    }

    function placeLetters(view, projection) {
        var a = 1.06 * niceLength(reach) / reach;
        document.querySelectorAll('.stage .axis').forEach(function (letter, c) {
            var e = [0, 1, 2].map(function (r) { return view[4 * c + r] * a + view[12 + r]; });
            var x = projection[0] * e[0] / -e[2], y = projection[5] * e[1] / -e[2];
            letter.hidden = e[2] > -0.1 || Math.abs(x) > 0.97 || Math.abs(y) > 0.95;
            letter.style.transform = 'translate(' + (0.5 + 0.5 * x) * canvas.clientWidth + 'px,' +
                (0.5 - 0.5 * y) * canvas.clientHeight + 'px) translate(-50%,-50%)';
        });
    }

    function draw() {
        if (gl.isContextLost() || frames.length === 0)
            return;
        var ratio = resize(), view = viewMatrix(), projection = projectionMatrix();
        gl.viewport(0, 0, canvas.width, canvas.height);
        gl.clearColor(0.02, 0.027, 0.05, 1);
        gl.clear(gl.COLOR_BUFFER_BIT);
        drawAxes(view, projection);
        var k = Math.floor(at);
        for (var back = Math.min(k, drawn <= few && !bonds ? tail : 0); back > 0; back--) /* where a few bodies came from */
            drawPoints(view, projection, 0.45 * ratio, k - back, 0, 0.6 * (1 - back / (tail + 1)));
        if (bonds)
            drawBonds(view, projection, ratio, k, smooth.checked ? at - k : 0);
        drawPoints(view, projection, ratio, k, smooth.checked ? at - k : 0, 1);
        placeLetters(view, projection);
        tell();
    }

    /* --- words around the picture ---------------------------------------------------------------------------------- */

    function short(x) {
        var text = Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(2) : String(+x.toPrecision(4));
        return text.replace('-', '\u2212');
    }

    function timeNow() {
        var k = Math.floor(at), t = frames[k].t;
        return smooth.checked && k + 1 < frames.length ? t + (at - k) * (frames[k + 1].t - t) : t;
    }

    function tell() {
        var t = timeNow(), k = Math.floor(at);
        get('replay-time').textContent = 't = ' + short(t) + (data.time ? ' ' + data.time : '') + '  ·  snapshot ' +
            (k + 1) + ' of ' + frames.length;
        if (document.activeElement !== slider || playing)
            slider.value = k;
        slider.setAttribute('aria-valuetext', 't = ' + short(t));
        document.querySelectorAll('svg[data-t0]').forEach(function (svg) {
            var d = svg.dataset, part = (t - d.t0) / (d.t1 - d.t0), line = svg.querySelector('.now');
            var x = +d.x0 + Math.min(1, Math.max(0, part)) * (d.x1 - d.x0);
            line.setAttribute('x1', x);
            line.setAttribute('x2', x);
            line.style.opacity = part >= -1e-9 && part <= 1 + 1e-9 ? 0.6 : 0;
        });
    }

    function legend() {
        var box = get('replay-legend'), c = colourings[select.value];
        box.textContent = '';
        if (!c)
            return;
        var bar = document.createElement('i'), known = +c.dataset.categories;
        if (known) {
            var list = c.nextElementSibling, names = list && list.matches('ul.names') ? list.children : null;
            for (var k = +c.dataset.low; k <= +c.dataset.high && (names || k < +c.dataset.low + known); k++) {
                var one = document.createElement('span'), dot = document.createElement('i');
                dot.className = 'dot';
                dot.style.background = categoryColour(c, k);
                one.append(dot, names ? names[k - c.dataset.low].textContent : String(k));
                box.append(one, ' ');
            }
            return;
        }
        var bytes = paletteBytes(c), stops = [0, 64, 128, 192, 255].map(function (s) {
            return 'rgb(' + bytes.slice(4 * s, 4 * s + 3).join(',') + ')';
        });
        bar.style.background = 'linear-gradient(90deg,' + stops.join(',') + ')';
        box.append(short(+c.dataset.low), bar, short(+c.dataset.high));
    }

    /* --- time ------------------------------------------------------------------------------------------------------ */

    function request() {
        if (!asked) {
            asked = true;
            requestAnimationFrame(step);
        }
    }

    function step(now) {
        asked = false;
        if (playing) {
            var rate = Math.min(24, Math.max(3, frames.length / 12)) * speed.value;
            /* the time of a frame may be earlier than that of the click */
            at += Math.min(0.25, Math.max(0, now - before) / 1000) * rate;
            if (at >= frames.length - (smooth.checked ? 1 : 0))
                at = 0;
            before = now;
            request();
        }
        draw();
    }

    function show(k) {
        at = Math.min(frames.length - 1, Math.max(0, k));
        request();
    }

    function setPlaying(on) {
        playing = on && frames.length > 1;
        before = performance.now();
        play.textContent = playing ? '❚❚ Pause' : '▶ Play';
        play.setAttribute('aria-pressed', String(playing));
        request();
    }

    /* Blending is honest enough where particles move little between snapshots: half of them less than 15 % of the view. */
    function movesLittle() {
        if (frames.length < 2 || drawn < 1)
            return false;
        var k = frames.length >> 1, a = new Int16Array(frames[k - 1].read().buffer);
        var b = new Int16Array(frames[k].read().buffer), moved = [];
        var la = frames[k - 1].limit / 32767, lb = frames[k].limit / 32767;
        for (var i = 0; i < drawn; i += Math.ceil(drawn / 500)) {
            var sum = 0;
            for (var c = 0; c < 3; c++)
                sum += Math.pow(scale * (Math.sinh(b[3 * i + c] * lb) - Math.sinh(a[3 * i + c] * la)), 2);
            moved.push(Math.sqrt(sum));
        }
        moved.sort(function (x, y) { return x - y; });
        return moved[moved.length >> 1] < 0.15 * reach;
    }

    /* --- hands ----------------------------------------------------------------------------------------------------- */

    function turn(yaw, pitch) {
        camera.yaw += yaw;
        camera.pitch = Math.min(1.57, Math.max(-1.57, camera.pitch + pitch));
        request();
    }

    function zoom(factor) {
        camera.distance = Math.min(200, Math.max(0.05, camera.distance * factor));
        request();
    }

    function move(x, y) {
        var unit = camera.distance / canvas.clientHeight / 0.95;
        camera.x += x * unit;
        camera.y -= y * unit;
        request();
    }

    function pointers() {
        var down = new Map();
        canvas.addEventListener('pointerdown', function (e) {
            canvas.setPointerCapture(e.pointerId);
            down.set(e.pointerId, [e.clientX, e.clientY]);
            canvas.focus({preventScroll: true});
        });
        canvas.addEventListener('pointermove', function (e) {
            var was = down.get(e.pointerId);
            if (!was)
                return;
            var dx = e.clientX - was[0], dy = e.clientY - was[1];
            if (down.size === 2) {
                var other = Array.from(down.entries()).find(function (p) { return p[0] !== e.pointerId; })[1];
                var old = Math.hypot(was[0] - other[0], was[1] - other[1]);
                var now = Math.hypot(e.clientX - other[0], e.clientY - other[1]);
                if (old > 0 && now > 0)
                    zoom(old / now);
                move(dx / 2, dy / 2);
            } else if (e.shiftKey || e.buttons === 4) {
                move(dx, dy);
            } else {
                turn(dx * 0.008, dy * 0.008);
            }
            down.set(e.pointerId, [e.clientX, e.clientY]);
        });
        ['pointerup', 'pointercancel', 'lostpointercapture'].forEach(function (name) {
            canvas.addEventListener(name, function (e) { down.delete(e.pointerId); });
        });
        canvas.addEventListener('wheel', function (e) { /* the page scrolls until the picture has been clicked */
            if (document.activeElement !== canvas && !e.ctrlKey)
                return;
            e.preventDefault();
            zoom(Math.exp(0.0015 * e.deltaY * (e.deltaMode === 1 ? 20 : 1)));
        }, {passive: false});
    }

    function reset() {
        Object.assign(camera, first);
        request();
    }

    var keys = {
        ArrowLeft: function () { turn(-0.08, 0); }, ArrowRight: function () { turn(0.08, 0); },
        ArrowUp: function () { turn(0, -0.08); }, ArrowDown: function () { turn(0, 0.08); },
        '+': function () { zoom(0.9); }, '=': function () { zoom(0.9); }, '-': function () { zoom(1.11); },
        ' ': function () { setPlaying(!playing); }, Home: reset,
        ',': function () { setPlaying(false); show(Math.ceil(at) - 1); },
        '.': function () { setPlaying(false); show(Math.floor(at) + 1); }
    };

    /* A click on a plot goes to the snapshot that is nearest in time; plots of a live page come and go. */
    function follow() {
        document.addEventListener('click', function (e) {
            var svg = e.target.closest && e.target.closest('svg[data-t0]');
            if (!svg)
                return;
            var box = svg.getBoundingClientRect(), d = svg.dataset;
            var x = (e.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
            var t = +d.t0 + (x - d.x0) / (d.x1 - d.x0) * (d.t1 - d.t0), best = 0;
            if (frames.length === 0)
                return;
            frames.forEach(function (f, k) {
                if (Math.abs(f.t - t) < Math.abs(frames[best].t - t))
                    best = k;
            });
            setPlaying(false);
            show(best);
        }, true);
    }

    function listen() {
        pointers();
        follow();
        canvas.addEventListener('keydown', function (e) {
            if (!keys[e.key] || e.ctrlKey || e.altKey || e.metaKey)
                return;
            e.preventDefault();
            keys[e.key]();
        });
        play.addEventListener('click', function () { setPlaying(!playing); });
        slider.addEventListener('input', function () { setPlaying(false); show(+slider.value); });
        select.addEventListener('change', function () { setPalette(); legend(); request(); });
        smooth.addEventListener('change', request);
        get('replay-reset').addEventListener('click', reset);
        window.addEventListener('resize', request);
        canvas.addEventListener('webglcontextlost', function (e) {
            e.preventDefault();
            setPlaying(false);
            say('The graphics of this browser were interrupted; the replay comes back when they do.');
        });
        canvas.addEventListener('webglcontextrestored', function () {
            reveal();
            build();
            request();
        });
    }

    function reveal() {
        canvas.hidden = false;
        words.hidden = true;
        get('replay-controls').hidden = false;
        document.querySelectorAll('.stage .over').forEach(function (e) { e.hidden = false; });
    }

    /* Draws now and reads the picture back: how many pixels are lit, and a number that changes with any of them. */
    function pixels() {
        draw();
        var bytes = new Uint8Array(4 * canvas.width * canvas.height), lit = 0, hash = 2166136261;
        gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
        for (var k = 0; k < bytes.length; k += 4) {
            var sum = bytes[k] + bytes[k + 1] + bytes[k + 2];
            lit += sum > 200 ? 1 : 0;
            hash = Math.imul(hash ^ sum, 16777619);
        }
        return {width: canvas.width, height: canvas.height, lit: lit, hash: hash >>> 0};
    }

    /* A new frame of a live page: shown at once, unless somebody looks at an earlier one. */
    function push(frame) {
        var follows = at >= frames.length - 1 && !playing;
        frames.push({t: frame.t, limit: frame.limit, read: function () { return frame.bytes; }});
        if (frames.length > most || frames.length * frame.bytes.length > room) {
            gl.deleteBuffer(frames.shift().buffer || null);
            at = Math.max(0, at - 1);
        }
        slider.max = frames.length - 1;
        window.myriadReplay.frames = frames.length;
        if (follows)
            at = frames.length - 1;
        request();
    }

    /* --- the start ------------------------------------------------------------------------------------------------- */

    function start() {
        if (frames.length === 0 && !live)
            return say('None of the snapshots could be read: there is nothing to replay.');
        gl = canvas.getContext('webgl2', {alpha: false, antialias: false, depth: false});
        if (!gl)
            return say('The replay needs WebGL2, which this browser does not have or has turned off. The projections ' +
                       'below show the first and the last snapshot.');
        if (get('replay-bonds'))
            bonds = new Uint16Array(decode(get('replay-bonds').textContent).buffer);
        colourings.forEach(function (c, k) {
            select.add(new Option('colour: ' + c.dataset.name, k));
        });
        select.hidden = colourings.length < 1;
        slider.max = frames.length - 1;
        ['x', 'y', 'z'].forEach(function (name) {
            var letter = document.createElement('span');
            letter.className = 'axis';
            letter.textContent = name;
            canvas.parentNode.append(letter);
        });
        reveal();
        try {
            build();
        } catch (error) {
            return say('The replay cannot be drawn here: ' + error.message);
        }
        smooth.checked = movesLittle();
        var centre = data.centre.split(' ').map(function (x) { return short(Math.abs(x) < 1e-6 * reach ? 0 : +(+x).toPrecision(2)); });
        get('replay-scale').textContent = 'axes: ' + short(2 * niceLength(reach)) + (data.length ? ' ' + data.length : '') +
            ' long, through (' + centre.join(', ') + ')';
        legend();
        listen();
        window.myriadReplay = {frames: frames.length, push: push, pixels: pixels, turn: turn,
                               show: function (k) { setPlaying(false); at = Math.min(frames.length - 1, Math.max(0, k)); draw(); }};
        /* Moving pictures start by themselves only where they are wanted, and in sight. */
        if (!still.matches && frames.length > 1 && 'IntersectionObserver' in window)
            new IntersectionObserver(function (entries, observer) {
                if (entries[0].isIntersecting) {
                    observer.disconnect();
                    setPlaying(true);
                }
            }, {threshold: 0.5}).observe(canvas);
        request();
    }
    start();
}());
