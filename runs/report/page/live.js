/* live.js - fills the shell of a live page: numbers from the stream of events, the report of now, frames of particles for
 * replay.js, and at the end the report itself. The token stands behind the # of the address, which no browser sends; it
 * goes with every request as a header. window.myriadLive lets tests see what has come. */
(function () {
    'use strict';
    var get = function (id) { return document.getElementById(id); };
    var token = location.hash.slice(1), shown = {page: -1, scene: -1, frame: 0, frames: 0}, busy = {}, over = false, wait = 500, last = 0;
    var classes = {running: 'good', finished: 'good', failed: 'bad', dead: 'bad'};

    function ask(path, method) {
        return fetch(path, {method: method || 'GET', headers: {'X-Myriad-Token': token}, cache: 'no-store',
                            credentials: 'omit', referrerPolicy: 'no-referrer'}).then(function (r) {
            if (!r.ok && r.status !== 503)
                throw new Error(r.status === 403 ? 'the token of this address is wrong' : 'answer ' + r.status);
            return r;
        });
    }

    function say(state, words) {
        get('live-state').textContent = state;
        get('live-state').className = 'badge ' + (classes[state] || 'fair');
        get('live-words').textContent = words;
    }

    /* One request of a kind at a time. */
    function once(name, work) {
        if (busy[name])
            return;
        busy[name] = true;
        work().catch(function () {}).then(function () { busy[name] = false; });
    }

    function clock(s) {
        s = Math.round(s);
        return s < 100 ? s + ' s' : Math.floor(s / 3600) + ':' + ('0' + Math.floor(s / 60) % 60).slice(-2) + ':' + ('0' + s % 60).slice(-2);
    }

    function number(x) { return String(+(+x).toPrecision(5)); }

    function describe(s) {
        var words = s.step === undefined ? 'from its files' : 'step ' + s.step + (s.from_files ? ', from its files' : '');
        if (s.time !== undefined && s.time !== null)
            words += ', t = ' + number(s.time) + (s.unit ? ' ' + s.unit : '');
        if (s.rate)
            words += ', ' + number(s.rate) + ' steps/s';
        if (s.state === 'running' && s.left)
            words += ', ' + clock(s.left) + ' left';
        if (s.energy_error !== null && s.energy_error !== undefined)
            words += ', energy error ' + (+s.energy_error).toExponential(1);
        return words + (s.reason ? '. ' + s.reason : '');
    }

    /* --- the report of now ----------------------------------------------------------------------------------------- */

    function startReplay(page) {
        var script = document.createElement('script'), scene = get('live-scene');
        get('live-replay').replaceChildren(page.querySelector('section#replay'));
        scene.replaceChildren.apply(scene, page.querySelectorAll('#replay-data, script.colouring, ul.names, #replay-bonds'));
        script.textContent = get('replay.js').textContent;
        document.body.append(script);
        shown.frame = 0;
    }

    function fill(text) {
        var page = new DOMParser().parseFromString(text, 'text/html'), data = page.getElementById('replay-data');
        document.title = page.title;
        get('live-title').textContent = page.querySelector('h1').textContent;
        get('live-figures').replaceChildren(page.querySelector('dl.figures'));
        if (data && +data.dataset.scene !== shown.scene) {
            shown.scene = +data.dataset.scene;
            startReplay(page);
        }
        get('live-sections').replaceChildren.apply(get('live-sections'), Array.from(page.querySelectorAll('main > section')).filter(function (s) { return s.id !== 'replay'; }));
    }

    function loadPage(s) {
        once('page', function () {
            last = Date.now();
            return ask('/page').then(function (r) { return r.ok ? r.text() : null; }).then(function (text) {
                if (text && !over) {
                    shown.page = s.page;
                    fill(text);
                }
            });
        });
    }

    function loadFrame() {
        once('frame', function () {
            return ask('/frame').then(function (r) { return r.ok ? r.arrayBuffer() : null; }).then(function (bytes) {
                if (!bytes || over)
                    return;
                var head = new DataView(bytes), scene = Number(head.getBigInt64(8, true)), k = Number(head.getBigInt64(16, true));
                if (scene !== shown.scene)
                    return loadPage({page: shown.page});
                if (k === shown.frame || !window.myriadReplay)
                    return;
                shown.frame = k;
                shown.frames++;
                window.myriadReplay.push({t: head.getFloat64(32, true), limit: head.getFloat64(40, true), bytes: new Uint8Array(bytes, 48)});
            });
        });
    }

    function become() {
        over = true;
        ask('/report').then(function (r) { return r.ok ? r.text() : null; }).then(function (text) {
            if (!text)
                return;
            document.open();
            document.write(text);
            document.close();
        }).catch(function () {});
    }

    function update(s) {
        shown.state = s;
        say(s.state, describe(s));
        get('live-progress').hidden = !(s.fraction >= 0);
        if (s.fraction >= 0)
            get('live-progress').value = s.fraction;
        get('live-controls').hidden = !s.control || /finish|stopped|failed/.test(s.state);
        get('live-exact').hidden = !s.control;
        get('live-exact').textContent = s.exact ? 'Sums are exact: pause, checkpoint and stop do not change the results.' :
            'Sums are plain: a run that is stopped here and continued may differ in its last bits.';
        if (s.state === 'finished' || (s.state === 'failed' && s.report))
            return become();
        over = /stopped|failed/.test(s.state) && !s.from_files;
        if (s.page !== shown.page && Date.now() - last > 1000 || shown.scene < 0 && s.frame > 0)
            loadPage(s);
        if (s.frame > shown.frame && shown.scene >= 0)
            loadFrame();
    }

    /* --- the stream of events -------------------------------------------------------------------------------------- */

    function listen() {
        ask('/events').then(function (answer) {
            if (!answer.ok)
                throw new Error('too many are looking');
            var reader = answer.body.getReader(), decoder = new TextDecoder(), text = '';
            wait = 500;
            return (function next() {
                return reader.read().then(function (piece) {
                    if (piece.done)
                        throw new Error('the connection has ended');
                    text += decoder.decode(piece.value, {stream: true});
                    for (var end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
                        var line = /^data: (.*)$/m.exec(text.slice(0, end));
                        if (line)
                            update(JSON.parse(line[1]));
                    }
                    return next();
                });
            }());
        }).catch(function (error) {
            if (over)
                return;
            say('not connected', error.message + '; trying again');
            setTimeout(listen, wait);
            wait = Math.min(8000, 2 * wait);
        });
    }

    get('live-controls').addEventListener('click', function (e) {
        var command = e.target.dataset.command;
        if (command)
            ask('/control/' + command, 'POST').catch(function (error) { say('refused', error.message); });
    });
    window.myriadLive = shown;
    if (!token)
        return say('no token', 'Open the whole address that the run has printed, with what stands behind the #.');
    listen();
}());
