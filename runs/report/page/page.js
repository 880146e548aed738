/* page.js - a button beside every text that is there to be copied. The page can be read without it. */
(function () {
    'use strict';
    function copy(text, pre) {
        if (navigator.clipboard && window.isSecureContext)
            return navigator.clipboard.writeText(text);
        getSelection().selectAllChildren(pre);
        return document.execCommand('copy') ? Promise.resolve() : Promise.reject();
    }
    document.querySelectorAll('pre.copy').forEach(function (pre) {
        var block = document.createElement('div'), button = document.createElement('button');
        block.className = 'block';
        button.type = 'button';
        button.textContent = 'copy';
        button.addEventListener('click', function () {
            copy(pre.textContent, pre).then(function () { button.textContent = 'copied'; },
                                            function () { button.textContent = 'press Ctrl+C'; });
            setTimeout(function () { button.textContent = 'copy'; }, 2000);
        });
        pre.replaceWith(block);
        block.append(pre, button);
    });
}());
